//! Attempts to reach listeners outside the sandbox. `$TCP` and `$UDP` are loopback ports, `$SOCK`
//! and `$DGRAM` are sockets with paths, `$NAME` is an abstract socket, `$FIFO` is a named pipe.

/// Internet sockets.
pub(super) const INTERNET: &[(&str, &str)] = &[
    ("TCP", "$C tcp $TCP"),
    ("TCP over IPv6", "$C tcp6 $TCP"),
    ("TCP Fast Open", "$C fastopen $TCP"),
    ("Multipath TCP", "$C mptcp $TCP"),
    (
        "TCP from Perl",
        "perl -MIO::Socket::INET -e 'IO::Socket::INET->new(\"127.0.0.1:$ARGV[0]\")->send(\"x\") or die' $TCP",
    ),
    ("UDP", "$C udp $UDP"),
    ("UDP from bash", "bash -c \"echo x > /dev/udp/127.0.0.1/$UDP\""),
];

/// Unix sockets and pipes.
pub(super) const LOCAL: &[(&str, &str)] = &[
    ("a stream socket with a path", "$C unix $SOCK"),
    ("a stream socket through a symbolic link", "ln -s $SOCK s && $C unix s"),
    ("a datagram socket with a path", "$C unix-datagram $DGRAM"),
    ("an abstract stream socket", "$C abstract $NAME"),
    ("an abstract datagram socket", "$C abstract-datagram $NAME-datagram"),
    ("a pipe", "timeout 2 sh -c \"echo x > $FIFO\""),
    ("a pipe opened for reading and writing", "timeout 2 sh -c \"echo x 1<> $FIFO\""),
];

/// Socket families and types that must not be available without a network: name and script with
/// family, type and protocol.
pub(super) const KINDS: &[(&str, &str)] = &[
    ("raw ICMP", "$C socket 2 3 1"),
    ("ICMP", "$C socket 2 2 1"),
    ("packets", "$C socket 17 3 3"),
    ("netlink", "$C socket 16 3 0"),
    ("netlink for kernel events", "$C socket 16 3 15"),
    ("vsock", "$C socket 40 1 0"),
    ("kernel cryptography", "$C socket 38 5 0"),
    ("IPsec keys", "$C socket 15 3 2"),
    ("Bluetooth", "$C socket 31 3 1"),
    ("CAN", "$C socket 29 3 1"),
    ("TIPC", "$C socket 30 1 0"),
    ("SCTP", "$C socket 2 1 132"),
    ("XDP sockets", "$C socket 44 3 0"),
];

/// The server's own HTTP port, `$HTTP`, and a script that shows that the network works.
pub(super) const OWN_SERVER: (&str, &str, &str) =
    ("HTTP port of the server itself", "$C http $HTTP", "$C tcp $OPEN");
