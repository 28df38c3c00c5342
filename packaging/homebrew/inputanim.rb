# Formula for Homebrew on Linux. There is no package for macOS: `cargo install` builds it there.
class Inputanim < Formula
  desc "Read, repair, edit and convert MRTK input animation recordings"
  homepage "@URL@"
  url "@URL@/@PACKAGE@"
  version "@VERSION@"
  sha256 "@SHA256@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on :linux
  depends_on arch: :x86_64

  def install
    bin.install "bin/inputanim"
    man1.install Dir["share/man/man1/*.1"]
    bash_completion.install "share/bash-completion/completions/inputanim"
    zsh_completion.install "share/zsh/site-functions/_inputanim"
    fish_completion.install "share/fish/vendor_completions.d/inputanim.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/inputanim --version")
  end
end
