package dev.sluice.target.mariadb.definition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.load.TableOutline.IndexedColumn;
import dev.sluice.connector.api.load.TableOutline.OtherObject;
import dev.sluice.connector.api.load.TableOutline.OutlinedColumn;
import dev.sluice.connector.api.load.TableOutline.OutlinedForeignKey;
import dev.sluice.connector.api.load.TableOutline.OutlinedIndex;
import dev.sluice.load.target.MadeTable;
import dev.sluice.target.mariadb.server.ServerKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How tables of the source become statements of MariaDB. */
class MadeDefinitionsTest {
  private static final TableId ITEM = new TableId("shop", "item");
  private static final TableId PART = new TableId("shop", "part");

  @Test
  void aColumnHasTheTypeThatKeepsItsValuesAndTheFirstColumnOfTheKeyCounts() {
    TableOutline item =
        table(
            ITEM,
            List.of(
                new OutlinedColumn("id", "bigint", true, false, true, Optional.empty()),
                column("code", "character varying(20)", true, Optional.of("'a''b'::text")),
                column("note", "text", false, Optional.empty()),
                column("day", "timestamp with time zone", false, Optional.empty())));
    assertThat(only(item).body())
        .isEqualTo(
            "\"id\" bigint NOT NULL AUTO_INCREMENT,"
                + " \"code\" varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL DEFAULT 'a''b',"
                + " \"note\" longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL,"
                + " \"day\" datetime(6) NULL, PRIMARY KEY (\"id\")");
    assertThat(only(item).problems()).isEmpty();
    assertThat(only(item).leftOut()).isEmpty();
  }

  @Test
  void aKeyOfTextsOfAnyLengthIsAProblemWithItsFix() {
    for (String type : List.of("text", "numeric", "shop.mood", "character varying")) {
      assertThat(only(table(ITEM, List.of(column("id", type, true, Optional.empty())))).problems())
          .singleElement()
          .extracting(Problem::toString)
          .asString()
          .contains(
              "shop.item, column id",
              type,
              "ALTER TABLE \"shop\".\"item\" ALTER COLUMN \"id\" TYPE varchar(n)",
              "deselect");
    }
  }

  @Test
  void aKeyOfASourceWithOtherTypesIsNamedByThem() {
    assertThat(problemOfKey("text", Optional.of("enum('a','b')")))
        .contains(
            "shop.item, column id",
            "enum('a','b'), which becomes longtext",
            "ALTER TABLE `shop`.`item` MODIFY `id` varchar(n) NOT NULL",
            "deselect");
  }

  /** No length of theirs would help. */
  @Test
  void aKeyOfBytesNeedsAnotherKey() {
    assertThat(problemOfKey("bytea", Optional.of("binary(16)")))
        .contains("binary(16), which becomes longblob", "another primary key", "deselect")
        .doesNotContain("varchar");
    assertThat(problemOfKey("bytea", Optional.empty()))
        .contains("type bytea", "another primary key", "deselect")
        .doesNotContain("varchar");
  }

  private static String problemOfKey(String type, Optional<String> ownType) {
    OutlinedColumn key =
        new OutlinedColumn("id", type, true, false, false, Optional.empty(), ownType);
    List<Problem> problems = only(table(ITEM, List.of(key))).problems();
    assertThat(problems).hasSize(1);
    return problems.get(0).toString();
  }

  @Test
  void aGeneratedColumnIsAProblem() {
    assertThat(
            only(table(
                    ITEM,
                    List.of(
                        column("id", "integer", true, Optional.empty()),
                        new OutlinedColumn(
                            "twice", "integer", false, true, false, Optional.empty()))))
                .problems())
        .singleElement()
        .extracting(Problem::toString)
        .asString()
        .contains("column twice", "generated");
  }

  @Test
  void onlyConstantsAreDefaults() {
    assertThat(ConstantDefault.of("0", "int")).contains("0");
    assertThat(ConstantDefault.of("'-5'::integer", "int")).contains("-5");
    assertThat(ConstantDefault.of("(-5)", "int")).isEmpty();
    assertThat(ConstantDefault.of("'1.50'::numeric(5,2)", "decimal(5,2)")).contains("1.50");
    assertThat(ConstantDefault.of("true", "tinyint(1)")).contains("1");
    assertThat(ConstantDefault.of("'new'::shop.\"Mood\"", "longtext")).contains("'new'");
    assertThat(ConstantDefault.of("'{}'::text[]", "longtext")).contains("'{}'");
    assertThat(ConstantDefault.of("'it''s'::character varying", "varchar(9)")).contains("'it''s'");
    for (String function :
        List.of(
            "now()",
            "CURRENT_TIMESTAMP",
            "nextval('shop.n'::regclass)",
            "gen_random_uuid()",
            "('a'::text || 'b'::text)",
            "lower('A'::text)",
            "E'a\\\\b'::text",
            "'a'::text COLLATE \"C\"")) {
      assertThat(ConstantDefault.of(function, "longtext")).as(function).isEmpty();
    }
    assertThat(ConstantDefault.of("'today'::date", "date")).isEmpty();
    assertThat(
            only(table(
                    ITEM,
                    List.of(
                        column("id", "integer", true, Optional.empty()),
                        column("at", "timestamp", false, Optional.of("now()")),
                        column("no", "text", false, Optional.of("NULL::text")))))
                .leftOut())
        .singleElement()
        .asString()
        .contains("default of shop.item.at", "now()");
  }

  @Test
  void whatHasNoCounterpartIsLeftOutByName() {
    TableOutline item =
        new TableOutline(
            ITEM,
            ITEM,
            List.of(
                column("id", "integer", true, Optional.empty()),
                column("note", "text", false, Optional.empty()),
                column("long", "character varying(900)", false, Optional.empty())),
            List.of("id"),
            true,
            List.of(
                index("partial", false, "id", Optional.of("partial")),
                index("unique_text", true, "note", Optional.empty()),
                index("plain_text", false, "note", Optional.empty()),
                index("too_long", false, "long", Optional.empty())),
            List.of(),
            List.of(
                new OtherObject("check", "positive", "CHECK ((id > 0))"),
                new OtherObject("trigger", "acts", "CREATE TRIGGER acts")));
    assertThat(only(item).indexes()).containsExactly("KEY \"plain_text\" (\"note\"(255))");
    assertThat(only(item).leftOut())
        .hasSize(5)
        .anyMatch(left -> left.startsWith("shop.item.partial: partial"))
        .anyMatch(left -> left.startsWith("shop.item.unique_text: it is unique"))
        .anyMatch(left -> left.startsWith("shop.item.too_long: its columns have up to 3600 bytes"))
        .anyMatch(left -> left.contains("positive") && left.contains("CHECK ((id > 0))"))
        .anyMatch(left -> left.contains("trigger shop.item.acts"));
  }

  @Test
  void aForeignKeyNeedsAUniqueIndexOfTheSameTypesAndANameOfItsOwn() {
    TableOutline item =
        withForeignKeys(ITEM, "integer", foreignKey("owner", "id", PART, "id", Optional.empty()));
    TableOutline part =
        withForeignKeys(
            PART,
            "integer",
            foreignKey("owner", "id", ITEM, "id", Optional.empty()),
            foreignKey("late", "id", ITEM, "id", Optional.of("deferrable")),
            foreignKey("gone", "id", new TableId("shop", "gone"), "id", Optional.empty()));
    List<MadeTable> made = new MariadbTableMaking(ServerKind.MARIADB).of(List.of(item, part));
    assertThat(statements(made))
        .containsExactly(
            "SET STATEMENT lock_wait_timeout = 2 FOR ALTER TABLE \"shop\".\"item\" ADD CONSTRAINT \"item_owner\" FOREIGN KEY (\"id\")"
                + " REFERENCES \"shop\".\"part\" (\"id\") ON UPDATE NO ACTION ON DELETE CASCADE, ALGORITHM = NOCOPY",
            "SET STATEMENT lock_wait_timeout = 2 FOR ALTER TABLE \"shop\".\"part\" ADD CONSTRAINT \"part_owner\" FOREIGN KEY (\"id\")"
                + " REFERENCES \"shop\".\"item\" (\"id\") ON UPDATE NO ACTION ON DELETE CASCADE, ALGORITHM = NOCOPY");
    assertThat(made.get(0).constraints())
        .extracting(CompletionStep::kind)
        .containsExactly(CompletionStep.Kind.FOREIGN_KEY, CompletionStep.Kind.VALIDATION);
    assertThat(made.get(1).leftOut())
        .hasSize(2)
        .anyMatch(left -> left.contains("late") && left.contains("deferrable"))
        .anyMatch(left -> left.contains("does not create the table shop.gone"));
    TableOutline wider = withForeignKeys(ITEM, "bigint");
    assertThat(new MariadbTableMaking(ServerKind.MARIADB).of(List.of(wider, part)).get(1).leftOut())
        .anyMatch(left -> left.contains("owner") && left.contains("types of id and id differ"));
  }

  /** A row of MariaDB has 65,535 bytes at most. */
  @Test
  void longTextsBecomeLargeOnesUntilARowHasRoom() {
    List<OutlinedColumn> columns = new ArrayList<>();
    columns.add(column("id", "character varying(100)", true, Optional.empty()));
    columns.add(column("a", "character varying(8000)", false, Optional.empty()));
    columns.add(column("b", "character varying(9000)", false, Optional.empty()));
    assertThat(only(table(ITEM, columns)).body())
        .contains("\"id\" varchar(100)", "\"a\" varchar(8000)", "\"b\" longtext");
  }

  private static MadeTable only(TableOutline table) {
    return new MariadbTableMaking(ServerKind.MARIADB).of(List.of(table)).get(0);
  }

  private static List<String> statements(List<MadeTable> tables) {
    return tables.stream()
        .flatMap(table -> table.constraints().stream())
        .filter(step -> step.kind() == CompletionStep.Kind.FOREIGN_KEY)
        .map(CompletionStep::statements)
        .flatMap(List::stream)
        .map(DefinitionStatement::sql)
        .toList();
  }

  private static OutlinedColumn column(
      String name, String type, boolean notNull, Optional<String> defaultValue) {
    return new OutlinedColumn(name, type, notNull, false, false, defaultValue);
  }

  private static OutlinedIndex index(
      String name, boolean unique, String column, Optional<String> special) {
    return new OutlinedIndex(name, unique, List.of(new IndexedColumn(column, false)), special);
  }

  private static OutlinedForeignKey foreignKey(
      String name, String column, TableId other, String referenced, Optional<String> special) {
    return new OutlinedForeignKey(
        name, List.of(column), other, List.of(referenced), "NO ACTION", "CASCADE", special);
  }

  private static TableOutline table(TableId table, List<OutlinedColumn> columns) {
    return new TableOutline(
        table, table, columns, List.of("id"), true, List.of(), List.of(), List.of());
  }

  private static TableOutline withForeignKeys(
      TableId table, String type, OutlinedForeignKey... keys) {
    return new TableOutline(
        table,
        table,
        List.of(column("id", type, true, Optional.empty())),
        List.of("id"),
        true,
        List.of(),
        List.of(keys),
        List.of());
  }
}
