/* Single system calls as an attacker would make them.
 * Exits with 0 if the call succeeded or reached the kernel, with 1 if it was refused. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static int report(long got) {
    if (got >= 0) {
        printf("done: %ld\n", got);
        return 0;
    }
    printf("refused: %s\n", strerror(errno));
    return 1;
}

/* For calls that must be blocked: an error about the arguments means that the kernel was reached. */
static int report_reached(long got) {
    int none = errno == ENOSYS || errno == EPERM || errno == EACCES;
    if (got < 0 && !none) {
        printf("reached: %s\n", strerror(errno));
        return 0;
    }
    return report(got);
}

static long number(const char *word) { return strtol(word, NULL, 0); }

static int internet(int type, int protocol, const char *port, int flags) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(number(port))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int at = socket(AF_INET, type, protocol);
    if (at < 0)
        return report(-1);
    if (flags || type == SOCK_DGRAM)
        return report(sendto(at, "x", 1, flags | MSG_NOSIGNAL, (void *)&to, sizeof to));
    if (connect(at, (void *)&to, sizeof to))
        return report(-1);
    return report(send(at, "x", 1, MSG_NOSIGNAL));
}

static int internet6(const char *port) {
    struct sockaddr_in6 to = {.sin6_family = AF_INET6, .sin6_port = htons(number(port))};
    inet_pton(AF_INET6, "::ffff:127.0.0.1", &to.sin6_addr);
    int at = socket(AF_INET6, SOCK_STREAM, 0);
    if (at < 0 || connect(at, (void *)&to, sizeof to))
        return report(-1);
    return report(send(at, "x", 1, MSG_NOSIGNAL));
}

/* Sends `initialize` to an MCP server, without a token. */
static int http(const char *port) {
    static const char hello[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
        "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"roots\":{}},"
        "\"clientInfo\":{\"name\":\"inside\",\"version\":\"1\"}}}";
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(number(port))};
    char text[2048];
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int at = socket(AF_INET, SOCK_STREAM, 0);
    if (at < 0 || connect(at, (void *)&to, sizeof to))
        return report(-1);
    dprintf(at,
            "POST /mcp HTTP/1.0\r\nHost: 127.0.0.1:%s\r\nContent-Type: application/json\r\n"
            "Accept: application/json, text/event-stream\r\nContent-Length: %zu\r\n\r\n%s",
            port, sizeof hello - 1, hello);
    long got = read(at, text, sizeof text - 1);
    text[got < 0 ? 0 : got] = 0;
    printf("%s\n", text);
    return strstr(text, " 200 ") ? 0 : 1;
}

static int local(int type, const char *name, int hidden) {
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    strncpy(to.sun_path + hidden, name, sizeof to.sun_path - 2);
    socklen_t length = offsetof(struct sockaddr_un, sun_path) + hidden + strlen(name) + !hidden;
    int at = socket(AF_UNIX, type, 0);
    if (at < 0)
        return report(-1);
    if (type == SOCK_DGRAM)
        return report(sendto(at, "x", 1, MSG_NOSIGNAL, (void *)&to, length));
    if (connect(at, (void *)&to, length))
        return report(-1);
    return report(send(at, "x", 1, MSG_NOSIGNAL));
}

/* Sends a datagram between two sockets of this process. This is permitted. */
static int own_socket(const char *name) {
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    strncpy(to.sun_path, name, sizeof to.sun_path - 1);
    int one = socket(AF_UNIX, SOCK_DGRAM, 0), other = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (bind(one, (void *)&to, sizeof to))
        return report(-1);
    return report(sendto(other, "x", 1, 0, (void *)&to, sizeof to));
}

static int attach(int pid) {
    if (ptrace(PTRACE_ATTACH, pid, 0, 0))
        return report(-1);
    waitpid(pid, NULL, __WALL);
    return report(ptrace(PTRACE_DETACH, pid, 0, 0));
}

/* Copies a descriptor of another process and prints the content of its file. */
static int copy_descriptor(int pid, int number) {
    int process = syscall(SYS_pidfd_open, pid, 0);
    if (process < 0)
        return report(-1);
    int file = syscall(SYS_pidfd_getfd, process, number, 0);
    if (file < 0)
        return report(-1);
    char text[4096];
    long got = pread(file, text, sizeof text, 0);
    if (got > 0)
        fwrite(text, 1, got, stdout);
    return report(file);
}

static int memory_of(int pid, int writes) {
    static char page[64];
    struct iovec here = {page, sizeof page}, there = {page, sizeof page};
    long call = writes ? SYS_process_vm_writev : SYS_process_vm_readv;
    long got = syscall(call, pid, &here, 1, &there, 1, 0);
    return got < 0 && errno == EFAULT ? report(0) : report(got);
}

/* Prints the handle of a file. */
static int handle_of(const char *path) {
    struct file_handle *handle = calloc(1, sizeof *handle + MAX_HANDLE_SZ);
    int mount;
    handle->handle_bytes = MAX_HANDLE_SZ;
    if (name_to_handle_at(AT_FDCWD, path, handle, &mount, 0))
        return report(-1);
    printf("%d ", handle->handle_type);
    for (unsigned at = 0; at < handle->handle_bytes; at++)
        printf("%02x", handle->f_handle[at]);
    return 0;
}

static int by_handle(const char *near, const char *type, const char *hex) {
    struct file_handle *handle = calloc(1, sizeof *handle + MAX_HANDLE_SZ);
    handle->handle_type = number(type);
    for (; hex[0] && hex[1]; hex += 2)
        sscanf(hex, "%2hhx", &handle->f_handle[handle->handle_bytes++]);
    int file = open_by_handle_at(open(near, O_RDONLY | O_DIRECTORY), handle, O_RDONLY);
    if (file < 0)
        return report(-1);
    char text[4096];
    long got = read(file, text, sizeof text);
    if (got > 0)
        fwrite(text, 1, got, stdout);
    return report(got);
}

static int run_from_memory(char **arguments) {
    int file = memfd_create("program", 0), shell = open("/bin/sh", O_RDONLY);
    char text[65536];
    for (long got; (got = read(shell, text, sizeof text)) > 0;)
        if (write(file, text, got) != got)
            return report(-1);
    fexecve(file, arguments, environ);
    return report(-1);
}

/* Makes a 32-bit system call in a 64-bit process. */
static int call_32_bit(void) {
#ifdef __x86_64__
    long got = 20;
    __asm__ volatile("int $0x80" : "+a"(got) : : "memory", "r8", "r9", "r10", "r11");
    return got > 0 ? report(got) : 1;
#else
    return 1;
#endif
}

static int act_on_file(const char *act, const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    char proc_path[64];
    struct timespec times[2] = {{1, 0}, {1, 0}};
    if (file < 0)
        return report(-1);
    snprintf(proc_path, sizeof proc_path, "/proc/self/fd/%d", file);
    if (!strcmp(act, "fchmod"))
        return report(fchmod(file, 0700));
    if (!strcmp(act, "fchmod-proc"))
        return report(chmod(proc_path, 0700));
    if (!strcmp(act, "fchown"))
        return report(fchown(file, getuid(), getgid()));
    if (!strcmp(act, "futimens"))
        return report(futimens(file, times));
    if (!strcmp(act, "fsetxattr"))
        return report(fsetxattr(file, "user.escape", "1", 1, 0));
    if (!strcmp(act, "reopen")) {
        int again = open(proc_path, O_WRONLY | O_TRUNC);
        return again < 0 ? report(-1) : report(write(again, "x", 1));
    }
    if (!strcmp(act, "fallocate"))
        return report(syscall(SYS_fallocate, open(path, O_RDWR), 0, 0, 8192));
    if (!strcmp(act, "mmap")) {
        int both = open(path, O_RDWR);
        char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, both, 0);
        if (at == MAP_FAILED)
            return report(-1);
        at[0] = 'X';
        return report(0);
    }
    return 2;
}

static int syscall_number(const char *name) {
    static const struct { const char *name; int number; } all[] = {
        {"io_uring_setup", 425}, {"io_uring_enter", 426}, {"io_uring_register", 427},
        {"open_tree", 428}, {"move_mount", 429}, {"fsopen", 430}, {"fsconfig", 431},
        {"fsmount", 432}, {"fspick", 433}, {"pidfd_getfd", 438}, {"process_madvise", 440},
        {"mount_setattr", 442}, {"quotactl_fd", 443}, {"memfd_secret", 447},
        {"process_mrelease", 448}, {"open_tree_attr", 467}, {"file_setattr", 469},
        {"add_key", SYS_add_key}, {"request_key", SYS_request_key}, {"keyctl", SYS_keyctl},
        {"bpf", SYS_bpf}, {"perf_event_open", SYS_perf_event_open},
        {"userfaultfd", SYS_userfaultfd}, {"kcmp", SYS_kcmp}, {"setns", SYS_setns},
        {"pivot_root", SYS_pivot_root}, {"umount2", SYS_umount2}, {"swapon", SYS_swapon},
        {"reboot", SYS_reboot}, {"kexec_load", SYS_kexec_load},
        {"init_module", SYS_init_module}, {"finit_module", SYS_finit_module},
        {"delete_module", SYS_delete_module}, {"acct", SYS_acct}, {"quotactl", SYS_quotactl},
        {"settimeofday", SYS_settimeofday}, {"clock_settime", SYS_clock_settime},
        {"sethostname", SYS_sethostname}, {"setdomainname", SYS_setdomainname},
        {"syslog", SYS_syslog}, {"vhangup", SYS_vhangup}, {"fanotify_init", SYS_fanotify_init},
        {"name_to_handle_at", SYS_name_to_handle_at},
        {"open_by_handle_at", SYS_open_by_handle_at},
        {"process_vm_readv", SYS_process_vm_readv},
        {"process_vm_writev", SYS_process_vm_writev},
        {"migrate_pages", SYS_migrate_pages}, {"move_pages", SYS_move_pages},
        {"lookup_dcookie", SYS_lookup_dcookie}, {"nfsservctl", SYS_nfsservctl},
#ifdef __x86_64__
        {"iopl", SYS_iopl}, {"ioperm", SYS_ioperm}, {"modify_ldt", SYS_modify_ldt},
        {"uselib", SYS_uselib}, {"x32", 0x40000000 | 39},
#endif
    };
    for (size_t at = 0; at < sizeof all / sizeof *all; at++)
        if (!strcmp(name, all[at].name))
            return all[at].number;
    return -1;
}

static int new_namespace(const char *call, long flag) {
    struct { uint64_t flags, rest[10]; } how = {.flags = flag};
    long got;
    if (!strcmp(call, "unshare"))
        return report(syscall(SYS_unshare, flag));
    if (!strcmp(call, "clone"))
        got = syscall(SYS_clone, flag | SIGCHLD, 0, 0, 0, 0);
    else
        got = syscall(SYS_clone3, &how, sizeof how);
    if (got == 0)
        _exit(0);
    return report(got);
}

int main(int count, char **arguments) {
    const char *act = count > 1 ? arguments[1] : "";
    const char *one = count > 2 ? arguments[2] : "", *two = count > 3 ? arguments[3] : "";
    if (!strcmp(act, "raw"))
        return report_reached(syscall(syscall_number(one), 0, 0, 0, 0, 0, 0));
    if (!strcmp(act, "tcp"))
        return internet(SOCK_STREAM, 0, one, 0);
    if (!strcmp(act, "listen"))
        return report(listen(socket(AF_INET, SOCK_STREAM, 0), 1));
    if (!strcmp(act, "http"))
        return http(one);
    if (!strcmp(act, "tcp6"))
        return internet6(one);
    if (!strcmp(act, "mptcp"))
        return internet(SOCK_STREAM, 262, one, 0);
    if (!strcmp(act, "fastopen"))
        return internet(SOCK_STREAM, 0, one, MSG_FASTOPEN);
    if (!strcmp(act, "udp"))
        return internet(SOCK_DGRAM, 0, one, 0);
    if (!strcmp(act, "udplite"))
        return internet(SOCK_DGRAM, 136, one, 0);
    if (!strcmp(act, "unix"))
        return local(SOCK_STREAM, one, 0);
    if (!strcmp(act, "unix-datagram"))
        return local(SOCK_DGRAM, one, 0);
    if (!strcmp(act, "abstract"))
        return local(SOCK_STREAM, one, 1);
    if (!strcmp(act, "abstract-datagram"))
        return local(SOCK_DGRAM, one, 1);
    if (!strcmp(act, "own-socket"))
        return own_socket(one);
    if (!strcmp(act, "socket"))
        return report(socket(number(one), number(two), count > 4 ? number(arguments[4]) : 0));
    if (!strcmp(act, "ptrace"))
        return attach(number(one));
    if (!strcmp(act, "seize"))
        return report(ptrace(PTRACE_SEIZE, (int)number(one), 0, 0));
    if (!strcmp(act, "getfd"))
        return copy_descriptor(number(one), number(two));
    if (!strcmp(act, "vm-read"))
        return memory_of(number(one), 0);
    if (!strcmp(act, "vm-write"))
        return memory_of(number(one), 1);
    if (!strcmp(act, "pidfd-kill")) {
        int process = syscall(SYS_pidfd_open, (int)number(one), 0);
        return process < 0 ? report(-1)
                           : report(syscall(SYS_pidfd_send_signal, process, SIGKILL, 0, 0));
    }
    if (!strcmp(act, "thread-kill"))
        return report(syscall(SYS_tgkill, (int)number(one), (int)number(one), SIGKILL));
    if (!strcmp(act, "queue"))
        return report(sigqueue(number(one), SIGKILL, (union sigval){0}));
    if (!strcmp(act, "handle"))
        return handle_of(one);
    if (!strcmp(act, "by-handle"))
        return by_handle(one, two, count > 4 ? arguments[4] : "");
    if (!strcmp(act, "exchange"))
        return report(syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, two, 2));
    if (!strcmp(act, "rename"))
        return report(rename(one, two));
    if (!strcmp(act, "mkdev"))
        return report(mknod(one, number(two) | 0666, (1 << 8) | 3));
    if (!strcmp(act, "tty-type"))
        return report(ioctl(open(one, O_RDWR), TIOCSTI, "x"));
    if (!strcmp(act, "namespace"))
        return new_namespace(one, number(two));
    if (!strcmp(act, "unnamed")) {
        int file = open(one, O_TMPFILE | O_RDWR, 0600);
        char proc_path[64];
        snprintf(proc_path, sizeof proc_path, "/proc/self/fd/%d", file);
        return file < 0 ? report(-1)
                        : report(linkat(AT_FDCWD, proc_path, AT_FDCWD, two, AT_SYMLINK_FOLLOW));
    }
    if (!strcmp(act, "mode2"))
        return report(syscall(452, AT_FDCWD, one, 0700, 0));
    if (!strcmp(act, "xattr"))
        return report(setxattr(one, "user.escape", "1", 1, 0));
    if (!strcmp(act, "memory"))
        return run_from_memory(arguments + 2);
    if (!strcmp(act, "int80"))
        return call_32_bit();
    return act_on_file(act, one);
}
