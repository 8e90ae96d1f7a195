package dev.sluice.engine.endtoend;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The libraries that the tests' daemons are started with, and Java's archive of the classes that a
 * start loads of them, which is made as the launcher makes it. The first process of a build that
 * starts a daemon makes the archive, and the others wait for it: the processors have enough to do.
 * Java archives no folders of classes: where the modules are not packaged there is none.
 */
final class SharedClasses {
  private static final String CLASS_PATH = System.getProperty("java.class.path");
  private static final List<Path> LIBRARIES =
      Stream.of(CLASS_PATH.split(File.pathSeparator)).map(Path::of).filter(Files::exists).toList();

  private static Optional<Path> archive = Optional.empty();
  private static boolean tried;

  private SharedClasses() {}

  /** For Java's command line: the class path, and the archive where there is one. */
  static List<String> options() {
    return options(List.of());
  }

  /** The same for a process whose main class is one of the tests' own. */
  static List<String> optionsOfTests() {
    return options(LIBRARIES.stream().filter(SharedClasses::isOfTests).toList());
  }

  /**
   * @param behind folders and jars behind those of the archive, which have to come first
   */
  private static synchronized List<String> options(List<Path> behind) {
    List<Path> jars = LIBRARIES.stream().filter(library -> !isOfTests(library)).toList();
    if (!jars.stream().allMatch(Files::isRegularFile)) {
      return List.of("-cp", CLASS_PATH);
    }
    if (archive.isEmpty()) {
      archive = find(jars);
    }
    List<Path> all = new ArrayList<>(jars);
    all.addAll(behind);
    List<String> options = new ArrayList<>(List.of("-cp", joined(all)));
    // Java ignores an archive that does not fit; its warning is not needed.
    archive.ifPresent(
        file ->
            options.addAll(
                List.of(
                    "-XX:SharedArchiveFile=" + file,
                    "-Xlog:cds=off",
                    "-XX:+UnlockDiagnosticVMOptions",
                    "-XX:ArchiveRelocationMode=0")));
    return options;
  }

  /** A demo's servers, too, need neither be unpacked nor initialized again. */
  static List<String> serverFolders() {
    return Stream.of(
            "ot.epg.working-dir", "sluice.postgres.templates", "sluice.mariadb.working-dir")
        .filter(name -> System.getProperty(name) != null)
        .map(name -> "-D" + name + "=" + System.getProperty(name))
        .toList();
  }

  private static boolean isOfTests(Path library) {
    String name = library.getFileName().toString();
    return name.equals("test-classes") || name.endsWith("-tests.jar");
  }

  private static Optional<Path> find(List<Path> jars) {
    try {
      Path folder = Path.of(System.getProperty("java.io.tmpdir"), "shared-classes");
      Files.createDirectories(folder);
      Path file = folder.resolve(fingerprint(jars) + "-of-libraries.jsa");
      if (!Files.exists(file) && !tried) {
        try (FileChannel channel =
                FileChannel.open(
                    folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = channel.lock()) {
          if (lock.isValid() && !Files.exists(file)) {
            make(folder, jars, file);
          }
          tried = true;
        }
      }
      return Optional.of(file).filter(Files::exists);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  /** Java takes an archive only with the very jars that it was made with. */
  private static String fingerprint(List<Path> jars) throws IOException {
    StringBuilder text = new StringBuilder(System.getProperty("java.vm.version"));
    for (Path jar : jars) {
      text.append(jar).append(Files.size(jar)).append(Files.getLastModifiedTime(jar));
    }
    return Integer.toHexString(text.toString().hashCode());
  }

  private static void make(Path folder, List<Path> jars, Path file)
      throws IOException, InterruptedException {
    Path made = folder.resolve("made.jsa");
    Path output = folder.resolve("dump.out");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xshare:dump", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", joined(jars)));
    command.add("-XX:SharedClassListFile=" + names());
    command.add("-XX:SharedArchiveFile=" + made);
    Process dump =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (!dump.waitFor(10, TimeUnit.MINUTES)) {
      dump.destroyForcibly().waitFor();
    }
    if (Files.exists(made) && dump.exitValue() == 0) {
      deleteArchives(folder);
      Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
    } else {
      System.err.println("daemons start without an archive of classes, see " + output);
    }
  }

  private static Path names() {
    Path file = Path.of("release", "src", "lib", "start.classes");
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve(file))) {
      folder = folder.getParent();
    }
    return folder.resolve(file);
  }

  /** Those of earlier builds, each as large as the libraries. */
  private static void deleteArchives(Path folder) throws IOException {
    try (DirectoryStream<Path> archives = Files.newDirectoryStream(folder, "*-of-libraries.jsa")) {
      for (Path earlier : archives) {
        Files.delete(earlier);
      }
    }
  }

  private static String joined(List<Path> jars) {
    return jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }
}
