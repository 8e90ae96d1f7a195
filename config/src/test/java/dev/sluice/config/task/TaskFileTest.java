package dev.sluice.config.task;

import static dev.sluice.config.Resources.problemsOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.sluice.config.Resources;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ChangeProcessingTuning;
import dev.sluice.config.settings.FileFormat;
import dev.sluice.config.settings.FileMapping;
import dev.sluice.config.settings.ImportSettings;
import dev.sluice.config.settings.LeastWindowTime;
import dev.sluice.config.settings.SettingValues;
import dev.sluice.config.settings.TaskSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TaskFileTest {

  private static final String MAPPINGS =
      """
      table-mappings:
        rules:
          - {rule-type: selection, rule-id: 1, rule-name: all, rule-action: include,
             object-locator: {schema-name: public, table-name: "%"}}
      """;
  private static final String SMALLEST =
      """
      task: orders-1
      migration-type: cdc
      source: {type: postgresql, url: "postgresql://replicator@db1/shop"}
      target: {type: postgresql, url: "postgresql://loader@db2:5433/shop"}
      """
          + MAPPINGS;

  @TempDir Path folder;

  @Test
  void theTaskFileOfTheDocumentationIsReadWithTheFilesItNames() throws IOException {
    Files.writeString(folder.resolve("secret"), "s3cret\n");
    Files.writeString(
        folder.resolve("table-mappings.json"), Resources.text("article-selection.json"));
    Files.writeString(
        folder.resolve("task-settings.json"), Resources.text("article-tuning-sample-run.json"));

    TaskConfig config =
        read(
            """
            task: orders
            migration-type: full-load-and-cdc        # a comment
            source:
              type: postgresql
              url: postgresql://replicator@db1:5432/shop?sslmode=require&connectTimeout=3
              password: ${env:SOURCE_PASSWORD}
              slot-name: my_slot
              reads-all: true
            target:
              type: postgresql
              url: postgresql://loader@[::1]/shop
              password: ${file:secret}
            kafka:
              bootstrap.servers: broker1:9092
              sasl.jaas.config: user=x password=${env:SOURCE_PASSWORD}
              retries: 5
            data-dir: data/here
            http: "[::1]:0"
            http-origins: ["https://sluice.example.org", "https://10.1.2.3:8443"]
            table-mappings: table-mappings.json
            task-settings: task-settings.json
            """,
            Map.of("SOURCE_PASSWORD", "pa$$word"));

    assertThat(config.task().text()).isEqualTo("orders");
    assertThat(config.migrationType()).isEqualTo(MigrationType.FULL_LOAD_AND_CDC);
    assertThat(config.source())
        .isEqualTo(
            new TypesForTests.Config(
                new Endpoint(
                    "db1",
                    5432,
                    "shop",
                    "replicator",
                    Secret.of("pa$$word"),
                    Map.of("sslmode", "require", "connectTimeout", "3")),
                "my_slot",
                true));
    assertThat(config.source().endpoint().jdbcUrl())
        .isEqualTo("jdbc:postgresql://db1:5432/shop?connectTimeout=3&sslmode=require");
    assertThat(config.target().jdbcUrl()).isEqualTo("jdbc:postgresql://[::1]:5432/shop");
    assertThat(config.target().password().reveal()).isEqualTo("s3cret");
    assertThat(config.target().password()).hasToString("****");
    assertThat(config.kafka().orElseThrow().asMap())
        .containsOnly(
            Map.entry("bootstrap.servers", "broker1:9092"),
            Map.entry("sasl.jaas.config", "user=x password=pa$$word"),
            Map.entry("retries", "5"));
    assertThat(config.dataDir()).isEqualTo(folder.resolve("data/here"));
    assertThat(config.http()).isEqualTo(new HttpAddress("::1", 0)).hasToString("[::1]:0");
    assertThat(config.httpOrigins())
        .extracting(ExternalOrigin::host)
        .containsExactly("sluice.example.org", "10.1.2.3:8443");
    assertThat(config.tableMappings().selects(new TableId("RDSDB", "STOCK"))).isTrue();
    assertThat(config.taskSettings().get(ChangeProcessingTuning.BATCH_SPLIT_SIZE))
        .isEqualTo(15_000);
    assertThat(config.toString()).doesNotContain("pa$$word", "s3cret").contains("orders");
  }

  @Test
  void nameAndDirectoryAreReadWithoutASecretAndWithoutTheOtherFiles() throws IOException {
    String text =
        """
        task: orders
        source: { password: "${env:SET_NOWHERE}" }
        target: { password: "${file:/missing/secret}" }
        kafka: { sasl.jaas.config: "${env:SET_NOWHERE}" }
        overwrite-target-rows: true
        run-source-code: true
        table-mappings: missing.json
        task-settings: missing.json
        """;
    Path file = Files.writeString(folder.resolve("home.yaml"), text + "data-dir: here\n");
    assertThat(TaskFile.readHome(file))
        .isEqualTo(new TaskHome(new TaskName("orders"), folder.resolve("here")));
    Path wrong = Files.writeString(folder.resolve("wrong.yaml"), text + "data-dri: here\n");
    assertThatThrownBy(() -> TaskFile.readHome(wrong))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("data-dri");
  }

  @Test
  void rowsOfTheTargetAreOverwrittenOnlyIfTheFileAllowsIt() throws IOException {
    assertThat(read(SMALLEST, Map.of()).overwriteTargetRows()).isFalse();
    assertThat(read(SMALLEST + "overwrite-target-rows: true\n", Map.of()).overwriteTargetRows())
        .isTrue();
    assertThatThrownBy(() -> read(SMALLEST + "overwrite-target-rows: yes please\n", Map.of()))
        .hasMessageContaining("overwrite-target-rows");
  }

  @Test
  void codeOfTheSourceRunsOnlyIfTheFileAllowsIt() throws IOException {
    assertThat(read(SMALLEST, Map.of()).runsSourceCode()).isFalse();
    assertThat(read(SMALLEST + "run-source-code: true\n", Map.of()).runsSourceCode()).isTrue();
    assertThatThrownBy(() -> read(SMALLEST + "run-source-code: 1\n", Map.of()))
        .hasMessageContaining("run-source-code");
  }

  @Test
  void anImportNeedsATaskAndATargetAndAcceptsTheFileOfAReplicatingTask() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("import.yaml"),
            """
            task: files
            target: {type: postgresql, url: "postgresql://loader@db2/shop"}
            task-settings: {Import: {ErrorPolicy: stash, Header: true, Delimiter: ";"}}
            import:
              files:
                - {file: "a-*.dat", table: public.a, delimiter: "\\t", null-string: "", columns: [x, y]}
                - {file: b.txt, table: '"b.b".c', format: text, encoding: LATIN1}
            """);
    ImportConfig config = TaskFile.readImport(file, Map.of());
    assertThat(config.task().text()).isEqualTo("files");
    assertThat(config.dataDir()).isEqualTo(folder.resolve("data/files"));
    assertThat(config.taskSettings().get(ImportSettings.ERROR_POLICY)).isEqualTo("stash");
    assertThat(config.taskSettings().get(ImportSettings.BATCH_SIZE)).isEqualTo(20_000);
    FileMapping first = config.mappings().get(0);
    assertThat(first.matches("a-1.dat")).isTrue();
    assertThat(first.matches("b-1.dat")).isFalse();
    assertThat(first.columns()).containsExactly("x", "y");
    assertThat(config.format(first.format(), FileFormat.Kind.CSV))
        .isEqualTo(new FileFormat(FileFormat.Kind.CSV, '\t', '"', '"', true, "", "UTF8"));
    FileMapping second = config.mappings().get(1);
    assertThat(second.table()).isEqualTo(new TableId("b.b", "c"));
    assertThat(config.format(second.format(), FileFormat.Kind.CSV))
        .isEqualTo(new FileFormat(FileFormat.Kind.TEXT, ';', '"', '"', true, "\\N", "LATIN1"));

    Path whole = Files.writeString(folder.resolve("whole.yaml"), SMALLEST);
    assertThat(TaskFile.readImport(whole, Map.of()).format(SettingValues.NONE, FileFormat.Kind.CSV))
        .isEqualTo(FileFormat.CSV);
    assertThat(TaskFile.readImport(whole, Map.of()).mappings()).isEmpty();
  }

  @Test
  void allProblemsOfAnImportAreReportedTogether() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("import.yaml"),
            """
            task: files
            task-settings: {Import: {Quote: ",", Delimeter: ";"}}
            import:
              files:
                - {file: sub/a.csv, table: a, header: "yes", format: json}
                - {table: public.b, escape: "ab", quote: "'"}
              file: x
            """);
    assertThat(problemsOf(() -> TaskFile.readImport(file, Map.of())))
        .extracting(Problem::toString)
        .anySatisfy(text -> assertThat(text).contains("target", "is missing"))
        .anySatisfy(text -> assertThat(text).contains("Did you mean \"Delimiter\"?"))
        .anySatisfy(text -> assertThat(text).contains("Delimiter and Quote are both ','"))
        .anySatisfy(text -> assertThat(text).contains("sub/a.csv", "without a folder"))
        .anySatisfy(text -> assertThat(text).contains("the text \"a\"", "SCHEMA.TABLE"))
        .anySatisfy(text -> assertThat(text).contains("header", "true or false"))
        .anySatisfy(text -> assertThat(text).contains("json", "csv, text"))
        .anySatisfy(text -> assertThat(text).contains("Escape is", "one ASCII character"))
        .anySatisfy(text -> assertThat(text).contains("files[1].file", "is missing"))
        .anySatisfy(text -> assertThat(text).contains("unknown key \"file\""));
  }

  @Test
  void missingKeysHaveDefaults() throws IOException {
    TaskConfig config = read(SMALLEST, Map.of());

    assertThat(config.kafka()).isEmpty();
    assertThat(config.cdcStart()).isEmpty();
    assertThat(config.dataDir()).isEqualTo(folder.resolve("data/orders-1"));
    assertThat(config.http()).isEqualTo(new HttpAddress("127.0.0.1", 8080));
    assertThat(config.source())
        .isEqualTo(new TypesForTests.Config(config.source().endpoint(), "sluice_orders_1", false));
    assertThat(config.source().endpoint().password().isPresent()).isFalse();
    assertThat(config.target().port()).isEqualTo(5433);
    assertThat(config.taskSettings().inEffect()).isEqualTo(TaskSettings.DEFAULTS.inEffect());
  }

  @Test
  void settingsMayBeInTheTaskFileItself() throws IOException {
    TaskConfig config =
        read(
            SMALLEST
                + """
                cdc-start-position: 4AF/B00000D0
                task-settings:
                  TargetMetadata: {TargetSchema: copy}
                  ChangeProcessingTuning:
                    BatchApplyTimeoutMin: 0.1
                """,
            Map.of());

    assertThat(config.taskSettings().get(ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MIN))
        .isEqualTo(LeastWindowTime.of(Duration.ofMillis(100)));
    assertThat(config.cdcStart()).contains(new CdcStart.AtPosition("4AF/B00000D0"));
    assertThat(config.tableMappings().targetOf(new TableId("public", "t")))
        .isEqualTo(new TableId("copy", "t"));
  }

  @Test
  void aSourceThatNeedsAPlaceToStartAtRefusesATaskThatNamesNone() throws IOException {
    String needing = SMALLEST.replace("source: {", "source: {slot-name: without-a-start, ");
    assertThat(problems(needing))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.found()).isEqualTo("cdc-start-position is missing");
              assertThat(problem.expected()).isEqualTo("a place");
              assertThat(problem.fix()).isEqualTo("Name one");
            });
    assertThat(read(needing + "cdc-start-position: 4AF/B00000D0\n", Map.of()).cdcStart())
        .isPresent();
  }

  @Test
  void aTaskStartsAtACommitTimeOfItsSource() throws IOException {
    TaskConfig config =
        read(SMALLEST + "cdc-start-position: commit_time:2026-01-31T12:00:00+02:00\n", Map.of());
    assertThat(config.cdcStart()).get().hasToString("commit_time:2026-01-31T10:00:00Z");
    assertThat(problems(SMALLEST + "cdc-start-position: commit_time:yesterday\n"))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.found()).contains("commit_time:yesterday");
              assertThat(problem.expected()).contains("commit_time:2026-01-31T12:00:00Z");
              assertThat(problem.fix()).contains("UTC");
            });
  }

  @Test
  void aTaskStopsAtAPositionOrAtATime() throws IOException {
    String[][] stops = {
      {"4AF/B00000D0", "4AF/B00000D0"},
      {"'commit_time:2026-01-31T12:00:00.5+02:00'", "commit_time:2026-01-31T10:00:00.500Z"},
      {"'server_time:2026-01-31T12:00:00'", "server_time:2026-01-31T12:00:00Z"}
    };
    for (String[] stop : stops) {
      TaskConfig config = read(SMALLEST + "cdc-stop-position: " + stop[0] + "\n", Map.of());
      assertThat(config.cdcStop()).get().hasToString(stop[1]);
    }
    assertThat(
            problems(
                SMALLEST.replaceFirst("migration-type: .*", "migration-type: full-load")
                    + "cdc-stop-position: 4AF/B00000D0\n"))
        .singleElement()
        .satisfies(problem -> assertThat(problem.expected()).contains("replicates no changes"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"cdc", "full-load-and-cdc"})
  void aTaskThatOnlyComparesIsRefusedWhereChangesFlow(String type) throws IOException {
    String only = "task-settings: {ValidationSettings: {ValidationOnly: true}}\n";
    String given = SMALLEST.replaceFirst("migration-type: [a-z-]+", "migration-type: " + type);

    assertThat(problems(given + only))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.thing()).endsWith(" migration-type");
              assertThat(problem.fix()).contains("EnableValidation").contains("full-load");
            });
    String full = SMALLEST.replaceFirst("migration-type: [a-z-]+", "migration-type: full-load");
    assertThat(read(full + only, Map.of()).migrationType()).isEqualTo(MigrationType.FULL_LOAD);
  }

  @Test
  void whetherATaskOnlyComparesIsReadWithoutItsPasswords() throws IOException {
    Path file = folder.resolve("only.yaml");
    String text = SMALLEST + "task-settings: settings.json\n";
    Files.writeString(file, text.replace("db1/shop", "db1/shop?x=${env:MISSING}"));
    assertThat(TaskFile.isValidationOnly(file)).isFalse();
    Files.writeString(
        folder.resolve("settings.json"),
        "{\"ValidationSettings\": {\"ValidationOnly\": true}, \"Unknown\": 1}");
    assertThat(TaskFile.isValidationOnly(file)).isTrue();
  }

  @Test
  void aPasswordOfDigitsKeepsItsZeros() throws IOException {
    TaskConfig config =
        read(SMALLEST.replace("db1/shop\"}", "db1/shop\", password: 0123}"), Map.of());

    assertThat(config.source().endpoint().password().reveal()).isEqualTo("0123");
  }

  @Test
  void theProblemsOfAllFilesAreReportedTogether() throws IOException {
    Files.writeString(folder.resolve("settings.json"), "{\"Sluice\": {\"SwapLimit\": 0}}");
    Files.writeString(folder.resolve("mappings.json"), "{\"rule\": []}");

    List<Problem> problems =
        problems(
            """
            task: Orders
            migration-type: full_load
            sorce: {}
            target: {type: postgresql, url: "postgresql://loader@db2/shop", password: "${env:MISSING}"}
            kafka: {acks: all}
            http: 8080
            cdc-start-position: yesterday
            cdc-stop-position: "commit_time:tomorrow"
            table-mappings: mappings.json
            task-settings: settings.json
            """);

    assertThat(problems)
        .extracting(
            problem -> problem.thing().replace(folder.toString(), "") + " | " + problem.fix())
        .containsExactlyInAnyOrder(
            "/task.yaml:1:7 task | Choose another name; it becomes part of the names of the slot,"
                + " topics and files",
            "/task.yaml:2:17 migration-type | Did you mean \"full-load\"?",
            "/task.yaml:1:1 source | Add source: with type, url and password",
            "/task.yaml:3:1 sorce | Did you mean \"source\"?",
            "/task.yaml:4:75 target.password | Set it where the command runs: export MISSING=…",
            "/task.yaml:5:8 kafka.bootstrap.servers | Add it, or remove kafka: to run an embedded"
                + " broker in the daemon",
            "/task.yaml:6:7 http | Write it like 127.0.0.1:8080",
            "/task.yaml:7:21 cdc-start-position | Ask the source",
            "/task.yaml:8:20 cdc-stop-position | Write a time with its offset, or Z for UTC",
            "/settings.json:1:26 Sluice.SwapLimit | Raise it to 1 or more",
            "/mappings.json:1:1 rules | Add \"rules\": [ … ] with a selection rule",
            "/mappings.json:1:2 rule | Did you mean \"rules\"?");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://sluice.example.org",
        "https://sluice.example.org/",
        "https://sluice.example.org/page",
        "https://sluice.example.org:443",
        "https://sluice.example.org:0",
        "https://Sluice.example.org",
        "https://user@sluice.example.org",
        "https://*.example.org",
        "https://",
        "sluice.example.org",
        "*",
        "null"
      })
  void anOriginIsWrittenAsBrowsersSendIt(String origin) throws IOException {
    assertThat(
            problems(SMALLEST + "http-origins: [\"https://fine.example.org\", \"" + origin + "\"]"))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.found()).contains(origin);
              assertThat(problem.expected()).startsWith("https:// and a host in lower case");
            });
    assertThat(problems(SMALLEST + "http-origins: https://fine.example.org"))
        .singleElement()
        .satisfies(problem -> assertThat(problem.expected()).isEqualTo("a list of addresses"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "postgresql://u:hunter2@h/db",
        "postgresql://u:x?hunter2@h/db",
        "postgresql://u:x/hunter2@h/db",
        "postgresql://u:1234/hunter2@h/db",
        "postgresql://u:#hunter2@h/db",
        "postgresql://u:hun ter2@h/db",
        "postgresql://u@h/db?password=hunter2",
        "postgresql://u@h/db?sslpassword=hunter2",
        "jdbc:postgresql://h/db?user=u&password=hunter2",
        "mysql://u:hunter2@h/db"
      })
  void aPasswordInsideTheUrlIsRefusedAndNotShown(String url) throws IOException {
    List<Problem> problems = problems(SMALLEST.replace("postgresql://replicator@db1/shop", url));

    assertThat(problems)
        .isNotEmpty()
        .allSatisfy(
            problem -> {
              assertThat(problem.thing()).contains(" source.url");
              // The folder's random name may have any digits.
              assertThat(problem.toString().replace(folder.toString(), ""))
                  .doesNotContain("hunter2", "ter2", "1234");
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "db1/shop | the url does not start with postgresql://",
        "jdbc:postgresql://db1/shop | a JDBC url",
        "postgresql://db1/shop | the url has no user",
        "postgresql://u@db1 | the url has no database, or more than one",
        "postgresql://u@a,b/shop | the url has no host, or more than one",
        "postgresql://u@db1:99999/shop | port 99999",
        "postgresql://u@db1/shop?ssl_mode=require | unknown option \"ssl_mode\" in the url",
        "postgresql://u@db1/shop?sslmode=required | sslmode \"required\""
      })
  void aWrongUrlIsToldByWhatIsWrongWithIt(String url, String found) throws IOException {
    assertThat(problems(SMALLEST.replace("postgresql://replicator@db1/shop", url)))
        .extracting(Problem::found)
        .containsExactly(found);
  }

  @Test
  void noSecretIsShownIfAReferenceIsInTheWrongPlace() throws IOException {
    List<Problem> problems =
        problemsOf(
            () ->
                read(
                    SMALLEST + "http: ${env:SECRET}\ndata-dir: ${vault:x}\n",
                    Map.of("SECRET", "hunter2")));

    assertThat(problems)
        .extracting(Problem::found)
        .containsExactly("the reference ${vault:…}", "the text \"${env:SECRET}\"");
  }

  @Test
  void brokenYamlIsReportedWithItsLocationAndWithoutItsText() throws IOException {
    assertThat(problems("task: a\nsource:\n  password: hunter2: x\n"))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.thing()).contains("task.yaml:3:");
              assertThat(problem.toString()).doesNotContain("hunter2");
            });
  }

  @Test
  void aRepeatedKeyAndAnAliasAreProblems() throws IOException {
    assertThat(problems(SMALLEST + "http: &a 127.0.0.1:1\nhttp: *a\n"))
        .extracting(Problem::found)
        .containsExactly("the key \"http\" occurs a second time", "a YAML alias (*a)");
  }

  @Test
  void aStartPositionNeedsMigrationTypeCdc() throws IOException {
    assertThat(
            problems(
                SMALLEST.replace("migration-type: cdc", "migration-type: full-load")
                    + "cdc-start-position: 0/1\n"))
        .singleElement()
        .extracting(Problem::expected)
        .asString()
        .startsWith("none with migration-type full-load");
  }

  @Test
  void aTypeOfSourceReadsItsOwnKeysUrlAndPositions() throws IOException {
    String toy =
        SMALLEST.replace(
            "type: postgresql, url: \"postgresql://replicator@db1/shop\"",
            "type: toy, url: \"toys://u@db1/shop?speed=1\"");

    TaskConfig config = read(toy + "cdc-start-position: file-1\n", Map.of());
    assertThat(config.source().endpoint().type()).isEqualTo("toy");
    assertThat(config.source().endpoint().port()).isEqualTo(77);

    assertThat(
            problems(
                toy.replace("speed=1", "speed=9").replace("type: toy", "slot-name: a, type: toy")
                    + "cdc-start-position: 0/1\n"))
        .extracting(Problem::found, Problem::expected)
        .containsExactlyInAnyOrder(
            tuple("speed \"9\"", "one of: 1"),
            tuple("unknown key \"slot-name\"", "one of: password, type, url"),
            tuple("the text \"0/1\"", "such as file-1, or commit_time:2026-01-31T12:00:00Z"));
  }

  @Test
  void anUnknownTypeNamesTheKnownOnesOfItsSideAndItsKeysAreNotJudged() throws IOException {
    assertThat(
            problems(
                SMALLEST
                        .replace("type: postgresql", "type: postgres")
                        .replace("postgresql://replicator", "postgres.test://replicator")
                        .replace("{type", "{key: value, type")
                    + "cdc-start-position: anything\n"))
        .extracting(Problem::expected, Problem::fix)
        .containsExactlyInAnyOrder(
            tuple("one of: postgresql, toy", "Did you mean \"postgresql\"?"),
            tuple("postgresql, the only type of this release", "Write type: postgresql"));
  }

  @Test
  void aMissingFileIsAProblem() {
    assertThat(problemsOf(() -> TaskFile.read(folder.resolve("none.yaml"))))
        .singleElement()
        .extracting(Problem::found)
        .isEqualTo("no such file");
  }

  private TaskConfig read(String yaml, Map<String, String> environment) throws IOException {
    Path file = folder.resolve("task.yaml");
    Files.writeString(file, yaml);
    return TaskFile.read(file, environment);
  }

  private List<Problem> problems(String yaml) throws IOException {
    return problemsOf(() -> read(yaml, Map.of()));
  }
}
