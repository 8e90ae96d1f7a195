package dev.sluice.connector.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.api.source.SourceChecks;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import dev.sluice.connector.mariadb.server.ValuePolicy.ImpossibleDate;
import dev.sluice.connector.mariadb.server.ValuePolicy.ZeroCharacter;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a check finds on real servers, by name. */
class MariadbChecksTest {
  private static final String USABLE = "CREATE TABLE a (id int PRIMARY KEY)";

  @Test
  void aServerAndTablesThatCanBeReplicatedHaveNoProblem() {
    try (SourceDatabase database = new SourceDatabase(USABLE)) {
      assertThat(problems(database.source(), true)).isEmpty();
    }
  }

  @Test
  void theUserWithTheRightsOfTheDocumentHasNoProblem() {
    try (SourceDatabase database = new SourceDatabase(USABLE)) {
      String user = "u" + database.name;
      database.execute(
          "CREATE USER %s@'%%' IDENTIFIED BY 'secret'".formatted(user),
          "GRANT SELECT ON %s.* TO %s@'%%'".formatted(database.name, user),
          "GRANT PROCESS, REPLICATION SLAVE, BINLOG MONITOR ON *.* TO %s@'%%'".formatted(user));
      MariadbSource source =
          new MariadbSource("rights", database.config(user, Secret.of("secret")));
      assertThat(problems(source, true)).isEmpty();
      assertThat(source.checks().notes(TableMappings.EVERYTHING).toString())
          .contains("RELOAD", "BINLOG ADMIN", "sync_binlog is 0");
      database.execute(
          "CREATE TABLE b (id int PRIMARY KEY, a int, FOREIGN KEY (a) REFERENCES a (id)"
              + " ON UPDATE SET NULL)");
      assertThat(problems(source, true).toString()).contains("ON UPDATE SET NULL");
    }
  }

  @Test
  void rightsThatAreMissingAreNamed() {
    try (SourceDatabase database =
        new SourceDatabase(USABLE, "CREATE TABLE b (x int PRIMARY KEY)")) {
      String user = "u" + database.name;
      database.execute(
          "CREATE USER %s@'%%' IDENTIFIED BY 'secret'".formatted(user),
          "GRANT INSERT ON %s.b TO %s@'%%'".formatted(database.name, user));
      assertThat(
              problems(
                      new MariadbSource("rights", database.config(user, Secret.of("secret"))), true)
                  .toString())
          .contains("PROCESS", "REPLICATION SLAVE", "BINLOG MONITOR")
          .contains("GRANT SELECT")
          .doesNotContain("secret");
    }
  }

  @Test
  void aWrongPasswordIsAProblemWithoutThePassword() {
    try (SourceDatabase database = new SourceDatabase(USABLE)) {
      assertThat(
              problems(
                      new MariadbSource("rights", database.config("nobody", Secret.of("secret"))),
                      true)
                  .toString())
          .contains("refuses the user or its password")
          .doesNotContain("secret");
    }
  }

  @Test
  void tablesThatCannotBeReplicatedAreNamedWithTheReason() {
    try (SourceDatabase database =
        new SourceDatabase(
            "CREATE TABLE keyless (x int)",
            "CREATE TABLE isam (id int PRIMARY KEY) ENGINE = MyISAM",
            "CREATE TABLE versioned (id int PRIMARY KEY) WITH SYSTEM VERSIONING",
            "CREATE TABLE parent (id int PRIMARY KEY)",
            "CREATE TABLE child (id int PRIMARY KEY, p int,"
                + " FOREIGN KEY (p) REFERENCES parent (id) ON DELETE CASCADE)",
            "CREATE TABLE packed (id int PRIMARY KEY, x varchar(20) COMPRESSED)",
            "CREATE TABLE `" + "ä".repeat(40) + "` (id int PRIMARY KEY)")) {
      List<Problem> found = problems(database.source(), true);
      assertThat(of("table " + database.table("keyless"), found)).contains("no primary key");
      assertThat(of("table " + database.table("isam"), found)).contains("MyISAM");
      assertThat(of("table " + database.table("versioned"), found)).contains("SYSTEM VERSIONING");
      assertThat(of("table " + database.table("child"), found)).contains("ON DELETE CASCADE");
      assertThat(of("table " + database.table("packed"), found)).contains("column x");
      assertThat(of("table " + database.table("ä".repeat(40)), found)).contains("80 bytes");
      assertThat(of("table " + database.table("parent"), found)).isEqualTo("[]");
    }
  }

  @Test
  void labelsAndCommentsAreNotTakenForAttributesOfTheType() {
    try (SourceDatabase database =
        new SourceDatabase(
            "CREATE TABLE a (id int PRIMARY KEY COMMENT 'compressed /*M!100301 COMPRESSED*/',"
                + " e enum('compressed', '/*M!100301 COMPRESSED*/', ' unsigned zerofill'),"
                + " s set('compressed', ' unsigned'),"
                + " v varchar(20) DEFAULT 'compressed' COMMENT 'COMPRESSED')")) {
      assertThat(problems(database.source(), true)).isEmpty();
    }
  }

  @Test
  void aSelectedTableThatTheUserMayNotSeeIsNamed() {
    try (SourceDatabase database =
        new SourceDatabase(
            USABLE,
            "CREATE TABLE `b ö/ä` (id int PRIMARY KEY, x text, FULLTEXT (x))",
            "CREATE TABLE parts (id int PRIMARY KEY) PARTITION BY HASH (id) PARTITIONS 3",
            "CREATE SEQUENCE s")) {
      assertThat(problems(database.source(), true)).isEmpty();
      String user = "u" + database.name;
      database.execute(
          "CREATE USER %s@'%%' IDENTIFIED BY 'secret'".formatted(user),
          "GRANT SELECT ON %s.a TO %s@'%%'".formatted(database.name, user),
          "GRANT SELECT ON %s.s TO %s@'%%'".formatted(database.name, user),
          "GRANT PROCESS, REPLICATION SLAVE, BINLOG MONITOR ON *.* TO %s@'%%'".formatted(user));
      List<Problem> found =
          problems(new MariadbSource("rights", database.config(user, Secret.of("secret"))), true);
      assertThat(found).hasSize(2);
      assertThat(of("table " + database.table("b ö/ä"), found)).contains("may not see it");
      assertThat(of("table " + database.table("parts"), found)).contains("may not see it");
    }
  }

  @Test
  void whatLoadsWithoutChangesMayLackAKey() {
    try (SourceDatabase database = new SourceDatabase("CREATE TABLE keyless (x int)")) {
      assertThat(problems(database.source(), false)).isEmpty();
    }
  }

  @Test
  void settingsThatLoseChangesAreNamed() throws Exception {
    try (EmbeddedMariadb server =
        EmbeddedMariadb.builder()
            .setting("binlog-format", "MIXED")
            .setting("binlog-row-image", "MINIMAL")
            .setting("binlog-row-metadata", "NO_LOG")
            .setting("binlog-ignore-db", "shop")
            .start()) {
      server.createDatabase("shop");
      assertThat(problems(shop(server), true).toString())
          .contains("binlog_format is MIXED")
          .contains("binlog_row_image is MINIMAL")
          .contains("binlog_row_metadata is NO_LOG")
          .contains("binlog_do_db '', binlog_ignore_db 'shop'")
          .contains("select no table");
    }
  }

  /** Statements are judged by the database that their session uses. */
  @Test
  void aServerThatLogsSomeDatabasesOnlyIsRefusedAlsoIfItLogsTheSources() throws Exception {
    for (String rule : List.of("binlog-do-db=shop", "binlog-ignore-db=mysql")) {
      String[] setting = rule.split("=");
      try (EmbeddedMariadb server =
          EmbeddedMariadb.builder().setting(setting[0], setting[1]).start()) {
        server.createDatabase("shop");
        try (Connection connection = server.connect("shop");
            Statement statement = connection.createStatement()) {
          statement.execute(USABLE);
        }
        assertThat(problems(shop(server), true))
            .singleElement()
            .asString()
            .contains("it logs some databases only", "'" + setting[1] + "'", "TRUNCATE");
        assertThat(problems(shop(server), false)).isEmpty();
      }
    }
  }

  @Test
  void uniqueTextsOfACollationThatTakesThemForEqualAreNoted() {
    try (SourceDatabase database =
        new SourceDatabase(
            "CREATE TABLE a (name varchar(20) COLLATE utf8mb4_general_ci PRIMARY KEY)")) {
      assertThat(database.source().checks().notes(TableMappings.EVERYTHING).toString())
          .contains("takes texts such as a and A for equal", "[name]");
    }
  }

  @Test
  void viewsAndSequencesThatAreNotMadeAreNoted() {
    try (SourceDatabase database =
        new SourceDatabase(
            "CREATE SEQUENCE used",
            "CREATE SEQUENCE spare",
            "CREATE TABLE a (id bigint PRIMARY KEY DEFAULT nextval(used))",
            "CREATE VIEW shown AS SELECT * FROM a")) {
      assertThat(database.source().checks().notes(TableMappings.EVERYTHING))
          .anyMatch(note -> note.startsWith("the views [shown] are not created on the target"))
          .anyMatch(note -> note.startsWith("the sequences [spare] are in no default"));
    }
  }

  @Test
  void aTaskOfTypeMysqlIsRefused() {
    try (SourceDatabase database = new SourceDatabase(USABLE)) {
      Endpoint endpoint = database.config().endpoint();
      MariadbSource source =
          new MariadbSource(
              "wrong",
              new MariadbConfig(
                  new Endpoint(
                      MariadbConfig.MYSQL,
                      endpoint.host(),
                      endpoint.port(),
                      database.name,
                      "root",
                      Secret.NONE,
                      Map.of())));
      assertThat(problems(source, true)).hasSize(1);
      assertThat(problems(source, true).toString())
          .contains("it is a server of MariaDB, and source.type is mysql");
    }
  }

  @Test
  void aFilterThatTheCaptureCannotEvaluateLikeTheServerIsNamedWithWhatIsPossible() {
    try (SourceDatabase database =
        new SourceDatabase(
            "CREATE TABLE t (id int PRIMARY KEY, d date, money decimal(10,2), f double, y year,"
                + " ci varchar(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci,"
                + " bin varchar(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,"
                + " label enum('a','b') CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci,"
                + " exact enum('a','A') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,"
                + " twice int AS (id * 2) STORED)")) {
      assertThat(filtered(database, "id", "between", "1", "5")).isEmpty();
      assertThat(filtered(database, "money", "gte", "-1.5")).isEmpty();
      assertThat(filtered(database, "d", "lte", "2026-01-31")).isEmpty();
      assertThat(filtered(database, "bin", "eq", "a")).isEmpty();
      assertThat(filtered(database, "ci", "notnull")).isEmpty();
      assertThat(filtered(database, "f", "null")).isEmpty();
      assertThat(filtered(database, "label", "null")).isEmpty();
      assertThat(filtered(database, "exact", "noteq", "a")).isEmpty();

      assertThat(filtered(database, "f", "eq", "1"))
          .contains("column f: double", "a whole number, a decimal", "null or notnull");
      assertThat(filtered(database, "y", "eq", "2026")).contains("column y: year");
      assertThat(filtered(database, "ci", "eq", "a"))
          .contains("column ci", "utf8mb4_general_ci", "ends with _bin");
      for (String value : List.of("a", "A", "b ")) {
        assertThat(filtered(database, "label", "eq", value))
            .contains("column label: enum", "utf8mb4_general_ci", "ends with _bin");
      }
      assertThat(filtered(database, "bin", "gte", "a"))
          .contains("column bin", "the operator gte for a text", "eq, noteq");
      assertThat(filtered(database, "id", "eq", "1e3")).contains("the value 1e3", "int");
      assertThat(filtered(database, "d", "eq", "2026-02-30")).contains("the value 2026-02-30");
      assertThat(filtered(database, "twice", "eq", "2")).contains("a generated column");
      assertThat(filtered(database, "ID", "eq", "2")).contains("no such column", "[id, d, money");
    }
  }

  @Test
  void aFilterByValuesThatAreReplacedIsRefused() {
    try (SourceDatabase database =
        new SourceDatabase(
            "CREATE TABLE t (id int PRIMARY KEY, d date,"
                + " bin varchar(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)")) {
      ValuePolicy replacing = new ValuePolicy(ImpossibleDate.NULL, ZeroCharacter.REMOVE);
      assertThat(filtered(database.source(replacing), database, "d", "notnull"))
          .contains("source.zero-dates");
      assertThat(filtered(database.source(replacing), database, "bin", "eq", "a"))
          .contains("source.zero-characters");
      assertThat(filtered(database.source(replacing), database, "id", "eq", "1")).isEmpty();
    }
  }

  /** The log has the place of the change, and it is an error of the table there. */
  @Test
  void aFilteredColumnThatWasAlteredSinceTheTaskBeganDoesNotKeepItFromGoingOn() {
    for (String change :
        List.of(
            "DROP COLUMN kept",
            "RENAME COLUMN kept TO other",
            "MODIFY kept double",
            "MODIFY kept varchar(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")) {
      try (SourceDatabase database =
          new SourceDatabase("CREATE TABLE t (id int PRIMARY KEY, kept int)")) {
        TableMappings mappings = filtering(database, "kept", "eq", "1");
        assertThat(database.source().checks().tolerated(mappings, any -> true)).isEmpty();
        database.execute("ALTER TABLE t " + change);
        SourceChecks checks = database.source().checks();
        assertThat(checks.problemsOfBegun(mappings, any -> true)).as(change).isEmpty();
        assertThat(checks.tolerated(mappings, any -> true))
            .as(change)
            .singleElement()
            .asString()
            .contains("column kept", "error of the table", "sluice reload", "sluice resync")
            .doesNotContain("Correct", "Filter by");
        assertThat(checks.problems(mappings, any -> true, true)).as(change).hasSize(1);
        assertThat(checks.problemsOf(mappings, any -> true)).as(change).hasSize(1);
      }
    }
  }

  @Test
  void theChecksOfOneStartReadTheCatalogOnce() {
    try (SourceDatabase database =
        new SourceDatabase("CREATE TABLE t (id int PRIMARY KEY, kept int)")) {
      TableMappings mappings = filtering(database, "kept", "eq", "1");
      SourceChecks checks = database.source().checks();
      assertThat(checks.problems(mappings, any -> true, true)).isEmpty();
      database.execute("ALTER TABLE t RENAME COLUMN kept TO other");
      assertThat(checks.tolerated(mappings, any -> true)).isEmpty();
      assertThat(database.source().checks().tolerated(mappings, any -> true)).hasSize(1);
    }
  }

  @Test
  void aSettingThatReplacesFilteredValuesIsRefusedAlsoWhenTheTaskGoesOn() {
    try (SourceDatabase database =
        new SourceDatabase("CREATE TABLE t (id int PRIMARY KEY, d date)")) {
      ValuePolicy replacing = new ValuePolicy(ImpossibleDate.NULL, ZeroCharacter.REFUSE);
      SourceChecks checks = database.source(replacing).checks();
      TableMappings mappings = filtering(database, "d", "notnull");
      assertThat(checks.problemsOfBegun(mappings, any -> true).toString())
          .contains("source.zero-dates");
      assertThat(checks.tolerated(mappings, any -> true)).isEmpty();
    }
  }

  private static String filtered(
      SourceDatabase database, String column, String operator, String... values) {
    return filtered(database.source(), database, column, operator, values);
  }

  /** The problems of a filter; empty if there are none. */
  private static String filtered(
      MariadbSource source,
      SourceDatabase database,
      String column,
      String operator,
      String... values) {
    List<Problem> problems =
        source
            .checks()
            .problems(filtering(database, column, operator, values), (TableId any) -> true, true);
    return problems.isEmpty() ? "" : problems.toString();
  }

  private static TableMappings filtering(
      SourceDatabase database, String column, String operator, String... values) {
    String operands =
        switch (values.length) {
          case 0 -> "";
          case 1 -> ", \"value\": \"%s\"".formatted(values[0]);
          default ->
              ", \"start-value\": \"%s\", \"end-value\": \"%s\"".formatted(values[0], values[1]);
        };
    String rules =
        """
        {"rules": [{"rule-type": "selection", "rule-id": "1", "rule-name": "1",
          "rule-action": "include", "object-locator": {"schema-name": "%s", "table-name": "t"},
          "filters": [{"filter-type": "source", "column-name": "%s", "filter-conditions":
            [{"filter-operator": "%s"%s}]}]}]}
        """
            .formatted(database.name, column, operator, operands);
    return TableMappings.parse("rules", rules, Optional.empty());
  }

  private static MariadbSource shop(EmbeddedMariadb server) {
    return new MariadbSource(
        "settings",
        new MariadbConfig(
            new Endpoint(
                MariadbConfig.TYPE,
                "127.0.0.1",
                server.port(),
                "shop",
                "root",
                Secret.NONE,
                Map.of())));
  }

  static List<Problem> problems(MariadbSource source, boolean capture) {
    return source.checks().problems(TableMappings.EVERYTHING, (TableId any) -> true, capture);
  }

  static String of(String thing, List<Problem> problems) {
    return problems.stream()
        .filter(problem -> problem.thing().startsWith(thing))
        .map(Problem::toString)
        .toList()
        .toString();
  }
}
