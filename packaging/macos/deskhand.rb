# A template: a release fills in its address, checksum and version. To check it in a tap, run
# `brew audit --new --formula deskhand` and `brew install --build-from-source deskhand`.
class Deskhand < Formula
  desc "See and control desktop apps from agents, tests and the shell"
  homepage "@HOMEPAGE@"
  url "@HOMEPAGE@/archive/refs/tags/v@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license any_of: ["MIT", "Apache-2.0"]
  head "@HOMEPAGE@.git", branch: "main"

  depends_on "rust" => :build
  depends_on macos: :monterey

  def install
    inreplace "packaging/macos/Info.plist" do |s|
      s.gsub! "@VERSION@", version.to_s
      s.gsub! "@MINIMUM@", MacOS.version.to_s
    end
    plist = buildpath/"packaging/macos/Info.plist"
    system "cargo", "rustc", "--release", "--locked", "--package", "deskhand-cli", "--bin", "deskhand", "--",
           "-C", "link-arg=-Wl,-sectcreate,__TEXT,__info_plist,#{plist}"
    bin.install "target/release/deskhand"
    generate_completions_from_executable(bin/"deskhand", "completions", shells: [:bash, :zsh, :fish])
  end

  service do
    run [opt_bin/"deskhand", "mcp", "serve", "--socket", var/"run/deskhand.sock"]
    keep_alive successful_exit: false
    process_type :interactive
  end

  def caveats
    <<~EOS
      Deskhand sees and uses apps through Accessibility, and takes pictures through Screen Recording.
      Allow both for the program you start it from (your terminal, your editor):
        System Settings > Privacy & Security
      `deskhand check` says what is missing and for whom.
    EOS
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/deskhand --version")
    assert_match "--socket", shell_output("#{bin}/deskhand mcp serve --help")
  end
end
