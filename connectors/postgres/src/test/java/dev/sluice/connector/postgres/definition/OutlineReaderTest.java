package dev.sluice.connector.postgres.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.load.TableOutline.IndexedColumn;
import dev.sluice.connector.api.load.TableOutline.OtherObject;
import dev.sluice.connector.api.load.TableOutline.OutlinedColumn;
import dev.sluice.connector.api.load.TableOutline.OutlinedForeignKey;
import dev.sluice.connector.api.load.TableOutline.OutlinedIndex;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a target without PostgreSQL's types is told of tables. */
class OutlineReaderTest {
  private static EmbeddedPostgres postgres;
  private static Connection session;

  @BeforeAll
  static void start() throws SQLException {
    postgres = EmbeddedPostgres.start();
    postgres.createDatabase("outlined");
    session = postgres.connect("outlined");
    run(
        "CREATE SCHEMA shop",
        "CREATE SEQUENCE shop.shared",
        """
        CREATE TABLE shop.item (
          id serial, code varchar(20) NOT NULL DEFAULT 'new', n int DEFAULT nextval('shop.shared'),
          twice int GENERATED ALWAYS AS (n * 2) STORED, span int4range, at timestamptz DEFAULT now(),
          gone text, CONSTRAINT positive CHECK (n > 0), PRIMARY KEY (id, code),
          EXCLUDE USING gist (span WITH &&), UNIQUE (n) DEFERRABLE)
        """,
        "ALTER TABLE shop.item DROP COLUMN gone",
        "CREATE INDEX partial ON shop.item (n) WHERE n > 5",
        "CREATE INDEX expression ON shop.item (lower(code))",
        "CREATE UNIQUE INDEX plain ON shop.item (code DESC, n) INCLUDE (at)",
        """
        CREATE TABLE shop.part (a int GENERATED ALWAYS AS IDENTITY, item int, code varchar(20),
          b bigint NOT NULL, CONSTRAINT ordinary FOREIGN KEY (item, code) REFERENCES shop.item
          ON DELETE CASCADE, CONSTRAINT late FOREIGN KEY (item, code) REFERENCES shop.item DEFERRABLE)
        PARTITION BY RANGE (b)
        """,
        "CREATE TABLE shop.part_1 PARTITION OF shop.part FOR VALUES FROM (1) TO (9)",
        "CREATE TABLE shop.told (a int NOT NULL, b int)",
        "CREATE UNIQUE INDEX teller ON shop.told (a)",
        "ALTER TABLE shop.told REPLICA IDENTITY USING INDEX teller",
        "CREATE TABLE shop.both (id text PRIMARY KEY, code varchar(20) NOT NULL)",
        "CREATE UNIQUE INDEX both_code ON shop.both (code)",
        "ALTER TABLE shop.both REPLICA IDENTITY USING INDEX both_code",
        "CREATE TABLE shop.late (id int PRIMARY KEY DEFERRABLE)",
        "CREATE TABLE shop.fired (id int PRIMARY KEY)",
        "CREATE FUNCTION shop.fire() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'");
    for (String name : List.of("own", "!sluice_moved", "!sluice_moved_rows")) {
      run(
          "CREATE TRIGGER \"%s\" BEFORE INSERT ON shop.fired EXECUTE FUNCTION shop.fire()"
              .formatted(name));
    }
  }

  @AfterAll
  static void stop() throws SQLException {
    session.close();
    postgres.close();
  }

  @Test
  void columnsHaveTheirTypesDefaultsAndCounters() {
    assertThat(read("item").columns())
        .containsExactly(
            new OutlinedColumn("id", "integer", true, false, true, Optional.empty()),
            new OutlinedColumn(
                "code",
                "character varying(20)",
                true,
                false,
                false,
                Optional.of("'new'::character varying")),
            // The sequence is not the column's own.
            new OutlinedColumn(
                "n",
                "integer",
                false,
                false,
                false,
                Optional.of("nextval('shop.shared'::regclass)")),
            new OutlinedColumn("twice", "integer", false, true, false, Optional.empty()),
            new OutlinedColumn("span", "int4range", false, false, false, Optional.empty()),
            new OutlinedColumn(
                "at", "timestamp with time zone", false, false, false, Optional.of("now()")));
    assertThat(read("part").columns())
        .extracting(OutlinedColumn::counted)
        .containsExactly(true, false, false, false);
  }

  @Test
  void theKeyIsThePrimaryKeyOrTheReplicaIdentity() {
    assertThat(read("item").key()).containsExactly("id", "code");
    assertThat(read("item").primary()).isTrue();
    assertThat(read("told").key()).containsExactly("a");
    assertThat(read("told").primary()).isFalse();
    assertThat(read("told").indexes()).isEmpty();
    assertThat(read("part").key()).isEmpty();
  }

  /** Changes come with the columns of the replica identity, and with no others. */
  @Test
  void theKeyIsTheOneByWhichChangesAreApplied() {
    assertThat(read("both").key()).containsExactly("code");
    assertThat(read("both").primary()).isFalse();
    assertThat(read("both").indexes())
        .containsExactly(
            new OutlinedIndex(
                "both_pkey", true, List.of(new IndexedColumn("id", false)), Optional.empty()));
    assertThat(read("late").key()).isEmpty();
    assertThat(read("late").indexes())
        .singleElement()
        .extracting(OutlinedIndex::special)
        .isEqualTo(Optional.of("deferrable"));
  }

  @Test
  void indexesSayWhatMakesThemSpecial() {
    Map<String, OutlinedIndex> indexes =
        read("item").indexes().stream()
            .collect(Collectors.toMap(OutlinedIndex::name, index -> index));
    assertThat(indexes.get("plain"))
        .isEqualTo(
            new OutlinedIndex(
                "plain",
                true,
                List.of(new IndexedColumn("code", true), new IndexedColumn("n", false)),
                Optional.empty()));
    assertThat(indexes.get("partial").special()).contains("partial");
    assertThat(indexes.get("expression").special()).contains("of expressions");
    assertThat(indexes.get("item_n_key").special()).contains("deferrable");
    assertThat(indexes.get("item_span_excl").special().orElseThrow())
        .contains("an exclusion constraint", "of method gist");
    assertThat(indexes).hasSize(5);
  }

  @Test
  void foreignKeysAndOtherObjectsAreToldAsTheyAre() {
    assertThat(read("part").foreignKeys())
        .containsExactly(
            foreignKey("late", "NO ACTION", Optional.of("deferrable")),
            foreignKey("ordinary", "CASCADE", Optional.empty()));
    assertThat(read("part").others())
        .containsExactly(new OtherObject("partitions", "of the table", "PARTITION BY RANGE (b)"));
    assertThat(read("item").others())
        .containsExactly(new OtherObject("check", "positive", "CHECK ((n > 0))"));
    // The others are those by which a cutover keeps writers out.
    assertThat(read("fired").others()).extracting(OtherObject::name).containsExactly("own");
  }

  @Test
  void aTableThatIsGoneIsOvertaken() {
    assertThatThrownBy(() -> read("nowhere")).isInstanceOf(SluiceException.Overtaken.class);
  }

  private static OutlinedForeignKey foreignKey(
      String name, String onDelete, Optional<String> special) {
    return new OutlinedForeignKey(
        name,
        List.of("item", "code"),
        new TableId("target", "item"),
        List.of("id", "code"),
        "NO ACTION",
        onDelete,
        special);
  }

  private static TableOutline read(String table) {
    return new OutlineReader(session, source -> new TableId("target", source.name()))
        .read(List.of(new TableId("shop", table)))
        .get(0);
  }

  private static void run(String... statements) throws SQLException {
    try (Statement statement = session.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
