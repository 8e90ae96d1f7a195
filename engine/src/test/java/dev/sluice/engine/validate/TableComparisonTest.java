package dev.sluice.engine.validate;

import static dev.sluice.engine.load.completion.TwoDatabases.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.mappings.TableMappings;
import dev.sluice.engine.load.completion.TwoDatabases;
import dev.sluice.engine.load.completion.TwoDatabases.Direction;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TableComparisonTest {
  private TwoDatabases databases;

  @BeforeEach
  void createDatabases() throws SQLException {
    databases = new TwoDatabases(Direction.TO_OLDER);
    databases.onBoth("CREATE SCHEMA app");
  }

  @AfterEach
  void close() throws SQLException {
    databases.close();
  }

  @Test
  void countsDifferingMissingAndExtraRowsAndNamesThem() throws SQLException {
    databases.onBoth("CREATE TABLE app.t (id int PRIMARY KEY, v text)");
    databases.onSource("INSERT INTO app.t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (10, NULL)");
    databases.onTarget("INSERT INTO app.t VALUES (1, 'a'), (2, 'B'), (4, 'd'), (10, '')");

    ComparedTable compared = compare("t");

    assertThat(compared)
        .isEqualTo(
            new ComparedTable(
                table("t"),
                table("t"),
                4,
                4,
                1,
                2,
                1,
                1,
                List.of("differing (10)", "differing (2)", "missing (3)", "extra (4)")));
    assertThat(compared.isEqual()).isFalse();
  }

  @Test
  void aTableWithoutAKeyIsComparedWithItsDuplicates() throws SQLException {
    databases.onBoth("CREATE TABLE app.t (a int, b text)");
    databases.onSource("INSERT INTO app.t VALUES (1, 'x'), (1, 'x'), (NULL, 'y'), (NULL, NULL)");
    databases.onTarget("INSERT INTO app.t VALUES (NULL, NULL), (1, 'x'), (NULL, 'y'), (2, 'x')");

    ComparedTable compared = compare("t");

    assertThat(compared.equal()).isEqualTo(3);
    assertThat(compared.examples()).containsExactly("missing (1, x)", "extra (2, x)");
  }

  @Test
  void rowsWithAnyTextAsKeyMeetWhateverTheDatabasesCollation() throws SQLException {
    String table = "CREATE TABLE app.t (k text COLLATE \"%s\", n numeric, PRIMARY KEY (k, n))";
    databases.onSource(table.formatted("en-x-icu"));
    databases.onTarget(table.formatted("C"));
    String[] rows = {
      "INSERT INTO app.t SELECT chr(i), i FROM generate_series(1, 2000) i",
      "INSERT INTO app.t VALUES ('', 1), ('a', 1), ('A', 1), ('ab', 1), (E'a\\tb', 1),"
          + " (E'a\\\\b', 1), (E'a\\nb', 10), ('\\N', 1), ('😀', 1), ('￿', 1), ('Ä', 9)"
    };
    databases.onBoth(rows);

    ComparedTable compared = compare("t");

    assertThat(compared.equal()).isEqualTo(2011);
    assertThat(compared.isEqual()).isTrue();
  }

  @Test
  void namesNoMoreThanTenRows() throws SQLException {
    databases.onBoth("CREATE TABLE app.t (id int PRIMARY KEY)");
    databases.onSource("INSERT INTO app.t SELECT generate_series(1, 1000)");

    ComparedTable compared = compare("t");

    assertThat(compared.missing()).isEqualTo(1000);
    assertThat(compared.examples()).hasSize(10);
  }

  @Test
  void comparesOnlyTheColumnsThatBothSidesHave() throws SQLException {
    databases.onSource(
        "CREATE TABLE app.t (dropped int, b int, id int PRIMARY KEY, more text)",
        "ALTER TABLE app.t DROP COLUMN dropped",
        "INSERT INTO app.t VALUES (2, 1, 'x')");
    databases.onTarget(
        "CREATE TABLE app.t (id int PRIMARY KEY, b int, added int DEFAULT 5)",
        "INSERT INTO app.t VALUES (1, 2)");

    assertThat(compare("t").isEqual()).isTrue();
  }

  @Test
  void aTableThatTheTargetLacksIsNamed() throws SQLException {
    databases.onSource("CREATE TABLE app.t (id int PRIMARY KEY)");

    assertThatThrownBy(() -> compare("t")).hasMessageContaining("target table app.t: is not there");
  }

  private ComparedTable compare(String name) {
    return new TableComparison(databases.source(), databases.target(), TableMappings.EVERYTHING)
        .compare(List.of(table(name)))
        .get(0);
  }
}
