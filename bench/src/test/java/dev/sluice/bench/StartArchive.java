package dev.sluice.bench;

import dev.sluice.bench.peer.TypedCommand;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Java's archive of the classes of a start, for the daemons of a test. The launcher's own functions
 * make it, beside links to the libraries of this test.
 */
final class StartArchive {
  private static final String MAKE =
      """
      . "$1"
      find_java
      cp "$(dirname "$1")/../lib/start.classes" "$2"
      prepare_start "$2" 2> /dev/null
      archive_of "$2"
      """;

  private StartArchive() {}

  /**
   * Makes it.
   *
   * @param folder for archive and links; empty
   * @return none where the modules below are not packaged: Java archives no folders of classes
   */
  static Optional<Path> make(Path folder) throws IOException, InterruptedException {
    Path own = Path.of("target").toAbsolutePath();
    List<Path> libraries =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(Path::of)
            .filter(library -> !library.startsWith(own) && Files.exists(library))
            .toList();
    if (!libraries.stream().allMatch(Files::isRegularFile)) {
      return Optional.empty();
    }
    for (Path library : libraries) {
      Files.createSymbolicLink(folder.resolve(library.getFileName()), library);
    }
    Path checkout = TypedCommand.launcher().orElseThrow().getParent();
    String launcher = checkout.resolve("release/src/bin/sluice").toString();
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-c", MAKE, "bash", launcher, folder.toString());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String archive = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("the launcher cannot make the archive of a start's classes");
    }
    return Optional.of(Path.of(archive.strip()));
  }
}
