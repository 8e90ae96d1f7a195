package dev.sluice.engine.command;

import static dev.sluice.engine.command.DmsAnswers.POSTGRESQL;
import static dev.sluice.engine.command.DmsAnswers.endpoint;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.dms.TaskFileDraft;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Endpoints of MariaDB, MySQL and Db2 become sections of a task file. */
class FromDmsEnginesTest {
  /** Members of MySQLSettings that are no part of the address, and no secret. */
  private static final Map<String, String> OF_MYSQL =
      Map.ofEntries(
          Map.entry("AuthenticationMethod", "\"password\""),
          Map.entry("CleanSourceMetadataOnMismatch", "false"),
          Map.entry("EventsPollInterval", "5"),
          Map.entry("ExecuteTimeout", "60"),
          Map.entry("MaxFileSize", "32768"),
          Map.entry("ParallelLoadThreads", "2"),
          Map.entry("SecretsManagerAccessRoleArn", "\"arn:aws:iam::1:role/dms\""),
          Map.entry("SecretsManagerSecretId", "\"arn:aws:secretsmanager:eu:1:secret:shop\""),
          Map.entry("ServerTimezone", "\"UTC\""),
          Map.entry("ServiceAccessRoleArn", "\"arn:aws:iam::1:role/dms\""),
          Map.entry("TargetDbType", "\"MULTIPLE_DATABASES\""));

  /** The same of IBMDb2Settings. */
  private static final Map<String, String> OF_DB2 =
      Map.ofEntries(
          Map.entry("CurrentLsn", "\"scan\""),
          Map.entry("KeepCsvFiles", "false"),
          Map.entry("LoadTimeout", "1200"),
          Map.entry("MaxFileSize", "409600"),
          Map.entry("MaxKBytesPerRead", "64"),
          Map.entry("SecretsManagerAccessRoleArn", "\"arn:aws:iam::1:role/dms\""),
          Map.entry("SecretsManagerSecretId", "\"arn:aws:secretsmanager:eu:1:secret:shop\""),
          Map.entry("SetDataCaptureChanges", "true"),
          Map.entry("WriteBufferSize", "204800"));

  private static final List<String> ATTRIBUTES_OF_MYSQL =
      List.of(
          "EventsPollInterval=5",
          "ServerTimezone=UTC",
          "CleanSrcMetadataOnMismatch=false",
          "skipTableSuspensionForPartitionDdl=true",
          "TargetDbType=SPECIFIC_DATABASE",
          "ParallelLoadThreads=1",
          "MaxFileSize=32000",
          "loadUsingCSV=true",
          "ExecuteTimeout=60");

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "mariadb, mariadb",
    "mysql, mysql",
    "aurora, mysql",
    "aurora-serverless, mysql",
    "db2, debezium",
    "db2-zos, debezium"
  })
  void eachEngineOfASourceBecomesItsType(String engine, String type) throws IOException {
    String tls = "\"SslMode\": \"verify-ca\"";
    TaskFileDraft draft = convert("shop", endpoint(engine, "db1", 3307, "shop", tls), POSTGRESQL);
    assertThat(draft.problems()).isEmpty();
    TaskConfig config = read(draft);
    assertThat(config.source().endpoint().type()).isEqualTo(type);
    assertThat(config.source().endpoint()).hasToString("dms@db1:3307/shop");
    assertThat(config.target()).hasToString("dms@db2.example.org:5432/shop");
  }

  @ParameterizedTest
  @CsvSource({"mariadb, mariadb", "mysql, mysql", "aurora, mysql", "db2, db2"})
  void eachEngineOfATargetBecomesItsType(String engine, String type) throws IOException {
    TaskFileDraft draft = convert("shop", POSTGRESQL, endpoint(engine, "db3", 3307, "shop", ""));
    assertThat(draft.problems()).isEmpty();
    assertThat(read(draft).target().type()).isEqualTo(type);
    assertThat(read(draft).target()).hasToString("dms@db3:3307/shop");
  }

  @Test
  void whatSluiceDoesNotMoveIsRefusedByName() {
    refused(
        endpoint("oracle", "h", 1, "d", ""),
        POSTGRESQL,
        "the source's engine is oracle",
        "debezium");
    refused(POSTGRESQL, endpoint("redshift", "h", 1, "d", ""), "the target's engine is redshift");
    refused(POSTGRESQL, endpoint("db2-zos", "h", 1, "d", ""), "the target's engine is db2-zos");
    refused(
        endpoint("mysql", "h", 1, "", ""),
        endpoint("aurora", "h", 1, "", ""),
        "the task moves MySQL to MySQL",
        "PostgreSQL on one side at least");
  }

  @ParameterizedTest
  @CsvSource({
    "require, sslMode=trust, does not prove",
    "verify-ca, sslMode=verify-ca, needs &serverSslCert",
    "verify-full, sslMode=verify-full, needs &serverSslCert"
  })
  void encryptionOfMysqlIsTaken(String mode, String option, String note) throws IOException {
    String tls = "\"SslMode\": \"%s\"".formatted(mode);
    TaskFileDraft draft = convert("shop", endpoint("mysql", "db1", 3306, "", tls), POSTGRESQL);
    assertThat(draft.problems()).isEmpty();
    assertThat(draft.text()).contains("mysql://dms@db1:3306/shop?" + option + "\"");
    assertThat(notesOf(draft, "source endpoint: SslMode " + mode)).contains(note);
  }

  /** A password would travel in clear, so the file says nothing that DMS did not say. */
  @Test
  void aMysqlEndpointWithoutEncryptionIsReportedAsCheckWillRefuseIt() throws IOException {
    String none = "\"SslMode\": \"none\"";
    TaskFileDraft draft = convert("shop", endpoint("mysql", "db1", 3306, "", none), POSTGRESQL);
    assertThat(draft.problems())
        .singleElement()
        .satisfies(problem -> assertThat(problem.toString()).contains("no encryption (sslMode)"));
    assertThat(notesOf(draft, "source endpoint: SslMode none")).contains("?sslMode=verify-ca");
  }

  @Test
  void theDatabaseIsTheOneThatTheRulesName() throws IOException {
    String source = endpoint("mariadb", "db1", 3306, "", "");
    TaskFileDraft one = convert("web[_]shop", source, POSTGRESQL);
    assertThat(one.text()).contains("mariadb://dms@db1:3306/web_shop\"");
    assertThat(notesOf(one, "source endpoint: DatabaseName (empty)")).contains("web_shop");

    TaskFileDraft other =
        convert("shop", endpoint("mariadb", "db1", 3306, "mysql", ""), POSTGRESQL);
    assertThat(other.text()).contains("mariadb://dms@db1:3306/shop\"");
    assertThat(notesOf(other, "source endpoint: DatabaseName mysql")).contains("has shop");

    TaskFileDraft any = convert("sho%", source, POSTGRESQL);
    assertThat(notesOf(any, "source endpoint s")).contains("write database into source.url");

    TaskFileDraft two =
        DmsAnswers.of(folder, "shop", source, POSTGRESQL).alsoSelecting("stock").convert();
    assertThat(notesOf(two, "source endpoint: DatabaseName (empty)"))
        .contains("shop, stock", "make a task for each");
    assertThat(notesOf(two, "source endpoint s")).contains("write database into source.url");
  }

  @Test
  void eachSettingOfMysqlIsNamedWithItsValue() throws IOException {
    for (String side : List.of("source", "target")) {
      for (String engine : List.of("mariadb", "mysql")) {
        String own = "\"MySQLSettings\": " + object(OF_MYSQL);
        assertAllNamed(side, OF_MYSQL, convertSide(side, endpoint(engine, "h", 1, "shop", own)));
      }
    }
  }

  @Test
  void eachSettingOfDb2IsNamedWithItsValue() throws IOException {
    for (String side : List.of("source", "target")) {
      String own = "\"IBMDb2Settings\": " + object(OF_DB2);
      assertAllNamed(side, OF_DB2, convertSide(side, endpoint("db2", "h", 1, "shop", own)));
    }
  }

  @Test
  void eachConnectionAttributeIsNamedWithItsValueWhateverItsLetterCase() throws IOException {
    String joined = String.join(";", ATTRIBUTES_OF_MYSQL);
    for (String text : List.of(joined, joined.toLowerCase(Locale.ROOT))) {
      String more = "\"ExtraConnectionAttributes\": \"%s\"".formatted(text);
      TaskFileDraft draft = convertSide("source", endpoint("aurora", "h", 1, "shop", more));
      for (String attribute : ATTRIBUTES_OF_MYSQL) {
        String[] parts = attribute.split("=");
        assertThat(draft.notes())
            .as(attribute)
            .anyMatch(
                note ->
                    note.toLowerCase(Locale.ROOT)
                        .startsWith(
                            "source endpoint: extraconnectionattributes, %s %s — "
                                .formatted(parts[0], parts[1])
                                .toLowerCase(Locale.ROOT)));
      }
      assertThat(draft.notes().toString()).doesNotContain("more (names");
    }
  }

  @Test
  void noSecretOfAnEndpointIsInTheFile() throws IOException {
    String more =
        """
        "ExtraConnectionAttributes": "hunter2;password=hunter2;initstmt=SET x='a;hunter2=b';\
        EventsPollInterval=SET y='hunter2'",
        "MySQLSettings": {"Password": "hunter2", "AfterConnectScript": "SET @x = 'hunter2'",
          "NewSecret": "hunter2"}
        """;
    for (String side : List.of("source", "target")) {
      TaskFileDraft draft = convertSide(side, endpoint("mysql", "h", 1, "shop", more));
      assertThat(draft.notes().toString() + draft.text() + draft.problems())
          .doesNotContain("hunter2");
      assertThat(draft.text()).contains("password: ${env:%s_PASSWORD}".formatted(upper(side)));
      assertThat(draft.notes())
          .anyMatch(note -> note.contains("AfterConnectScript (value not shown) — not run"))
          .anyMatch(note -> note.contains("NewSecret (value not shown) — not taken"))
          .anyMatch(note -> note.contains("initstmt (value not shown) — not run"))
          .anyMatch(note -> note.contains("ExtraConnectionAttributes, 2 more (names and values"));
    }
  }

  @Test
  void aDb2SourceHasTheConnectorOfItsPageAndWithTlsItsProperties() throws IOException {
    TaskFileDraft plain = convertSide("source", endpoint("db2", "h", 50001, "SHOP", ""));
    assertThat(plain.text())
        .contains(
            """
            source:
              type: debezium
              url: "debezium://dms@h:50001/SHOP"
              password: ${env:SOURCE_PASSWORD}
              debezium:
                connector-folder: "/opt/debezium-connector-db2"
                properties:
                  connector.class: "io.debezium.connector.db2.Db2Connector"
            target:
            """);
    assertThat(plain.notes())
        .anyMatch(note -> note.startsWith("source.debezium.connector-folder /opt/"));

    String tls = "\"SslMode\": \"verify-ca\"";
    TaskFileDraft zos = convertSide("source", endpoint("db2-zos", "h", 5021, "SHOP", tls));
    assertThat(zos.problems()).isEmpty();
    assertThat(zos.text())
        .contains(
            "jdbc-url: \"jdbc:db2://h:5021/SHOP:sslConnection=true;\"",
            "db2.platform: \"ZOS\"",
            "driver.sslConnection: \"true\"");
    assertThat(convertSide("target", endpoint("db2", "h", 50001, "SHOP", tls)).text())
        .contains("db2://dms@h:50001/SHOP?sslConnection=true\"");
  }

  @Test
  void positionsAndTypesAreSaidInTheWordsOfTheEngine() throws IOException {
    String mysql = endpoint("mariadb", "h", 1, "", "");
    assertThat(
            notesOf(
                DmsAnswers.of(folder, "cdc", "shop", mysql, POSTGRESQL).convert(),
                "CdcStartPosition mysql-bin.000024:373"))
        .contains("a file of the log and an offset", "GTIDs")
        .doesNotContain("slot");
    String db2 = endpoint("db2", "h", 1, "SHOP", "");
    TaskFileDraft ofDb2 = DmsAnswers.of(folder, "full-load", "A", db2, POSTGRESQL).convert();
    assertThat(notesOf(ofDb2, "MigrationType full-load")).contains("full-load-and-cdc");
    assertThat(notesOf(ofDb2, "CdcStartPosition")).contains("neither a start nor a stop position");
    assertThat(
            notesOf(
                DmsAnswers.of(folder, "cdc", "A", POSTGRESQL, db2).convert(), "MigrationType cdc"))
        .contains("full-load-and-cdc")
        .doesNotContain("resync");
  }

  private static void assertAllNamed(
      String side, Map<String, String> settings, TaskFileDraft draft) {
    settings.forEach(
        (key, value) ->
            assertThat(notesOf(draft, side + " endpoint: " + key + " " + value.replace("\"", "")))
                .as(key)
                .doesNotContain("no counterpart"));
  }

  private static String notesOf(TaskFileDraft draft, String start) {
    assertThat(draft.notes()).anyMatch(note -> note.startsWith(start));
    return draft.notes().stream().filter(note -> note.startsWith(start)).toList().toString();
  }

  private void refused(String source, String target, String... parts) {
    assertThatThrownBy(() -> convert("shop", source, target))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContainingAll(parts);
  }

  private TaskFileDraft convertSide(String side, String endpoint) throws IOException {
    return side.equals("source")
        ? convert("shop", endpoint, POSTGRESQL)
        : convert("shop", POSTGRESQL, endpoint);
  }

  private TaskFileDraft convert(String schema, String source, String target) throws IOException {
    return DmsAnswers.of(folder, schema, source, target).convert();
  }

  private TaskConfig read(TaskFileDraft draft) throws IOException {
    return TaskFile.read(
        Files.writeString(folder.resolve("task.yaml"), draft.text()),
        Map.of("SOURCE_PASSWORD", "a", "TARGET_PASSWORD", "b"));
  }

  private static String object(Map<String, String> settings) {
    return settings.entrySet().stream()
        .map(setting -> "\"%s\": %s".formatted(setting.getKey(), setting.getValue()))
        .collect(Collectors.joining(", ", "{", "}"));
  }

  private static String upper(String text) {
    return text.toUpperCase(Locale.ROOT);
  }
}
