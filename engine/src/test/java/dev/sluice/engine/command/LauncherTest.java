package dev.sluice.engine.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher in a checkout of its own: real Java runs a small program, which the build (a script
 * in Maven's place) puts into the libraries.
 */
class LauncherTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** Loads its second class only on request, as a daemon does. */
  private static final String MAIN =
      """
      package dev.sluice.engine;
      public final class Main {
        public static void main(String[] arguments) throws Exception {
          System.out.println("started %1$s");
          if (arguments[0].equals("run")) {
            System.in.read();
            System.out.println(Late.text());
          }
        }
      }
      class Late {
        static String text() {
          return "late %1$s";
        }
      }
      """;

  private static final String MAVEN =
      """
      #!/bin/sh
      mkdir -p demo/target/lib
      cat next.jar > demo/target/lib/sluice.jar
      """;

  @TempDir Path home;

  @BeforeEach
  void makeCheckout() throws IOException {
    for (String module :
        List.of(
            "config",
            "embedded",
            "connectors",
            "sink",
            "load",
            "targets",
            "connect/sink",
            "engine",
            "demo",
            "bin")) {
      Files.createDirectories(home.resolve(module));
    }
    copyFromRepository("sluice");
    copyFromRepository("release/src/bin/sluice");
    Files.createDirectories(home.resolve("release/src/lib"));
    Files.writeString(home.resolve("release/src/lib/start.classes"), "dev/sluice/engine/Main\n");
    Path maven = Files.writeString(home.resolve("bin").resolve("mvn"), MAVEN);
    assertThat(maven.toFile().setExecutable(true)).isTrue();
  }

  @Test
  void aDaemonKeepsTheLibrariesThatItBeganWithWhileOthersBuild() throws Exception {
    edit("one", Instant.now().minusSeconds(20));
    Process daemon = launch("run");
    BufferedReader output = daemon.inputReader();
    assertThat(output.readLine()).isEqualTo("started one");

    edit("two", Instant.now().plusSeconds(20));
    assertThat(outputOf(launch("status"))).containsExactly("started two");
    edit("three", Instant.now().plusSeconds(40));
    assertThat(outputOf(launch("status"))).containsExactly("started three");

    daemon.getOutputStream().write('\n');
    daemon.getOutputStream().flush();
    assertThat(output.readLine()).isEqualTo("late one");
    assertThat(daemon.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(daemon.exitValue()).isZero();
  }

  @Test
  void aChangeOfATargetIsBuilt() throws Exception {
    edit("one", Instant.now().minusSeconds(20));
    assertThat(outputOf(launch("status"))).containsExactly("started one");
    edit("two", Instant.now().minusSeconds(20));
    assertThat(outputOf(launch("status"))).containsExactly("started one");
    Path folder = Files.createDirectories(home.resolve("targets/mariadb/src/main/java"));
    Path source = Files.writeString(folder.resolve("Changed.java"), "");
    Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(20)));
    assertThat(outputOf(launch("status"))).containsExactly("started two");
  }

  @Test
  void whatNobodyRunsFromAnyMoreGoesWithTheNextBuild() throws Exception {
    edit("one", Instant.now().minusSeconds(20));
    assertThat(outputOf(launch("status"))).containsExactly("started one");
    assertThat(outputOf(launch("status"))).containsExactly("started one");
    assertThat(builds()).hasSize(1);
    edit("two", Instant.now().plusSeconds(20));
    assertThat(outputOf(launch("status"))).containsExactly("started two");
    assertThat(builds()).hasSize(1);
  }

  @Test
  void aStartTakesTheNamedClassesFromAnArchiveThatIsMadeOnce() throws Exception {
    edit("one", Instant.now().minusSeconds(20));
    assertThat(outputOf(launch("status", "-Xlog:class+load")))
        .anyMatch(line -> line.contains("dev.sluice.engine.Main source: shared objects file"));
    Path archive = archive();
    assertThat(outputOf(launch("status"))).containsExactly("started one");
    assertThat(archive()).isEqualTo(archive);
    // Another Java left this file, or a copy broke it.
    Files.write(archive, new byte[] {1});
    assertThat(outputOf(launch("status"))).containsExactly("started one");
  }

  @Test
  void theArchiveIsMappedWhereItWasMadeFor() throws Exception {
    assumeThat(Runtime.version().feature()).isIn(17, 21);
    edit("one", Instant.now().minusSeconds(20));
    assertThat(outputOf(launch("status", "-XX:+PrintFlagsFinal")))
        .anyMatch(line -> line.matches(".*ArchiveRelocationMode += 0 .*"));
  }

  @Test
  void aNameThatIsNotAsciiIsPrintedInTheLocaleOfASystemServiceToo() throws Exception {
    edit("größe", Instant.now().minusSeconds(20));
    for (String locale : List.of("C", "POSIX", "")) {
      assertThat(outputOf(launchIn(locale, "status"))).containsExactly("started größe");
    }
  }

  private Path archive() throws IOException {
    try (Stream<Path> all = Files.list(builds().get(0))) {
      List<Path> archives = all.filter(file -> file.toString().endsWith(".jsa")).toList();
      assertThat(archives).hasSize(1);
      return archives.get(0);
    }
  }

  /** Changes a source; {@code at} distinguishes it from the build before. */
  private void edit(String text, Instant at) throws IOException {
    Path source = Files.writeString(home.resolve("Main.java"), MAIN.formatted(text));
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-encoding",
                "UTF-8",
                "-d",
                home.resolve("classes").toString(),
                source.toString());
    assertThat(failed).isZero();
    Path jar = home.resolve("made.jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      for (String each : List.of("Main", "Late")) {
        String name = "dev/sluice/engine/" + each + ".class";
        out.putNextEntry(new JarEntry(name));
        Files.copy(home.resolve("classes").resolve(name), out);
      }
    }
    Files.move(jar, home.resolve("next.jar"), StandardCopyOption.REPLACE_EXISTING);
    Path pom = Files.writeString(home.resolve("pom.xml"), text);
    Files.setLastModifiedTime(pom, FileTime.from(at));
  }

  private void copyFromRepository(String file) throws IOException {
    Path copy = home.resolve(file);
    Files.createDirectories(copy.getParent());
    Files.copy(repository().resolve(file), copy);
    assertThat(copy.toFile().setExecutable(true)).isTrue();
  }

  private Process launch(String command, String... javaOptions) throws IOException {
    return process(command, javaOptions).start();
  }

  private Process launchIn(String locale, String command) throws IOException {
    ProcessBuilder builder = process(command);
    builder.environment().keySet().removeAll(List.of("LC_ALL", "LC_CTYPE"));
    builder.environment().put("LANG", locale);
    return builder.start();
  }

  private ProcessBuilder process(String command, String... javaOptions) {
    ProcessBuilder builder = new ProcessBuilder(home.resolve("sluice").toString(), command);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("SLUICE_OPTS", String.join(" ", javaOptions));
    builder.environment().merge("PATH", home.resolve("bin") + ":", (path, bin) -> bin + path);
    return builder.redirectError(ProcessBuilder.Redirect.INHERIT);
  }

  private static List<String> outputOf(Process process) throws Exception {
    List<String> lines = new ArrayList<>();
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      output.lines().forEach(lines::add);
    }
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
    return lines;
  }

  private List<Path> builds() throws IOException {
    try (Stream<Path> all = Files.list(home.resolve(".builds"))) {
      return all.filter(Files::isDirectory).toList();
    }
  }

  private static Path repository() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("sluice"))) {
      folder = folder.getParent();
    }
    return folder;
  }
}
