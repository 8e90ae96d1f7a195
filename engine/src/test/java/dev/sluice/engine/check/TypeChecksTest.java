package dev.sluice.engine.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.engine.load.completion.TwoDatabases;
import dev.sluice.engine.load.completion.TwoDatabases.Direction;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** From PostgreSQL 18 to 16, between columns and types of which each side has its own. */
class TypeChecksTest {
  private static final TableId TABLE = new TableId("public", "t");

  private TwoDatabases databases;

  @BeforeEach
  void open() throws SQLException {
    databases = new TwoDatabases(Direction.TO_OLDER);
    databases.onBoth(
        "CREATE TYPE mood AS ENUM ('sad', 'ok')",
        "CREATE DOMAIN positive AS int CHECK (VALUE > 0)",
        "CREATE TYPE pair AS (a int, b text)");
    databases.onTarget(
        "CREATE TYPE moods AS ENUM ('ok', 'new', 'sad')",
        "CREATE TYPE fewer AS ENUM ('ok')",
        "CREATE DOMAIN narrow AS int CHECK (VALUE > 0) CHECK (VALUE < 9)",
        "CREATE DOMAIN must AS text NOT NULL",
        "CREATE TYPE swapped AS (b text, a int)",
        "CREATE TYPE cut AS (a int, b varchar(3))",
        "CREATE TYPE wide AS (a int8, b text)");
  }

  @AfterEach
  void close() throws SQLException {
    databases.close();
  }

  @Test
  void aColumnThatKeepsEveryValueIsAllowed() throws SQLException {
    assertThat(
            problems(
                "int2 → int4",
                "int4 → int8",
                "int4 → float8",
                "oid → int8",
                "int8 → numeric",
                "int4 → numeric(10)",
                "numeric(10,2) → numeric(12,2)",
                "numeric(10,2) → numeric",
                "varchar(10) → varchar(20)",
                "varchar(10) → text",
                "text → varchar",
                "char(5) → varchar(5)",
                "bit(3) → varbit(3)",
                "timestamp(3) → timestamp(4)",
                "timestamptz(0) → timestamptz",
                "interval(2) → interval",
                "int4[] → int8[]",
                "jsonb → json",
                "timestamptz → text",
                "mood → text",
                "mood → moods",
                "mood[] → moods[]",
                "positive → int8",
                "positive → positive",
                "pair → pair",
                "pair[] → wide[]",
                "int4range → int4range",
                "pair → text"))
        .isEmpty();
  }

  @Test
  void aColumnThatMightChangeAValueIsRefusedWithTheStatementThatFixesIt() throws SQLException {
    List<String> refused =
        List.of(
            "int8 → int4",
            "int8 → float8",
            "int4 → numeric(9)",
            "int4 → numeric(12,2)",
            "numeric → int8",
            "numeric(10,2) → numeric(10,1)",
            "numeric(10,2) → numeric(9,2)",
            "numeric → numeric(10,2)",
            "numeric → float8",
            "float8 → float4",
            "float4 → float8",
            "timestamptz → timestamp",
            "timestamp → timestamptz",
            "timestamp(6) → timestamp(3)",
            "time → time(0)",
            "interval → interval(3)",
            "interval → interval day to second",
            "date → timestamp",
            "text → varchar(100)",
            "text → char(5)",
            "char(5) → char(6)",
            "varchar → \"char\"",
            "text → name",
            "json → jsonb",
            "cidr → inet",
            "macaddr → macaddr8",
            "money → text",
            "money → numeric",
            "bit(3) → bit(4)",
            "varbit → varbit(8)",
            "text → xml",
            "text → bytea",
            "int4[] → int2[]",
            "int4 → int4[]",
            "int4range → int8range",
            "mood → fewer",
            "mood[] → fewer[]",
            "text → mood",
            "positive → narrow",
            "int4 → positive",
            "text → must",
            "pair → swapped",
            "pair → cut");
    List<String> problems = problems(refused.toArray(String[]::new));
    assertThat(problems).hasSameSizeAs(refused);
    for (int i = 0; i < refused.size(); i++) {
      assertThat(problems.get(i))
          .as(refused.get(i))
          .contains("target table public.t: column c" + i + " is ")
          .contains("ALTER TABLE \"public\".\"t\" ALTER COLUMN \"c" + i + "\" TYPE ");
    }
    assertThat(problems.get(refused.indexOf("mood → fewer"))).contains("lacks the labels [sad]");
    assertThat(problems.get(refused.indexOf("positive → narrow"))).contains("VALUE < 9");
    assertThat(problems.get(refused.indexOf("pair → cut"))).contains("of its field b");
  }

  /** Each of the form {@code source type → target type}: one column of the table. */
  private List<String> problems(String... pairs) throws SQLException {
    StringBuilder source = new StringBuilder();
    StringBuilder target = new StringBuilder();
    for (int i = 0; i < pairs.length; i++) {
      String[] types = pairs[i].split(" → ");
      source.append(i == 0 ? "" : ", ").append("c").append(i).append(' ').append(types[0]);
      target.append(i == 0 ? "" : ", ").append("c").append(i).append(' ').append(types[1]);
    }
    databases.onSource("CREATE TABLE t (" + source + ")");
    databases.onTarget("CREATE TABLE t (" + target + ")");
    return findings(false).problems().stream().map(Problem::toString).toList();
  }

  private TypeChecks.Findings findings(boolean created) {
    return TypeChecks.check(
        databases.source(),
        databases.target(),
        Map.of(TABLE, TABLE),
        TableMappings.EVERYTHING,
        created);
  }

  @Test
  void aTypeThatDiffersOnTheTargetIsRefusedBeforeItIsUsed() throws SQLException {
    databases.onSource(
        "CREATE TYPE fewer AS ENUM ('ok', 'sad')",
        "CREATE DOMAIN narrow AS int CHECK (VALUE > 0)",
        "CREATE TYPE swapped AS (a int, b text)",
        "CREATE TABLE t (a mood, b fewer[], c narrow, d swapped, e pair)");
    assertThat(findings(true).problems().stream().map(Problem::toString))
        .anySatisfy(text -> assertThat(text).contains("type public.fewer", "t.b", "[sad]"))
        .anySatisfy(text -> assertThat(text).contains("type public.narrow", "t.c", "VALUE < 9"))
        .anySatisfy(text -> assertThat(text).contains("type public.swapped", "t.d", "[b, a]"))
        .hasSize(3);
  }

  @Test
  void aTypeThatCannotBeCreatedOnTheTargetIsRefusedWithItsColumn() throws SQLException {
    databases.onSource(
        "CREATE SCHEMA apart",
        "CREATE EXTENSION citext SCHEMA apart",
        "CREATE TABLE other (id int)",
        "CREATE DOMAIN unsure AS int",
        "ALTER DOMAIN unsure ADD CONSTRAINT later CHECK (VALUE > 0) NOT VALID",
        "CREATE TYPE own",
        "CREATE FUNCTION own_in(cstring) RETURNS own LANGUAGE internal IMMUTABLE STRICT AS"
            + " 'int4in'",
        "CREATE FUNCTION own_out(own) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS"
            + " 'int4out'",
        "CREATE TYPE own (INPUT = own_in, OUTPUT = own_out, LIKE = int4)",
        "CREATE TABLE t (a apart.citext[], b other, c unsure, d own)");
    databases.onTarget("CREATE EXTENSION citext");
    assertThat(findings(true).problems().stream().map(Problem::toString))
        .anySatisfy(
            text ->
                assertThat(text)
                    .contains("column public.t.a", "schema public on the target", "in apart")
                    .contains("ALTER EXTENSION \"citext\" SET SCHEMA \"apart\""))
        .anySatisfy(
            text ->
                assertThat(text)
                    .contains("public.t.b", "the row type of a table")
                    .contains("by hand", "Create the table public.other", "DO_NOTHING"))
        .anySatisfy(text -> assertThat(text).contains("public.t.c", "VALIDATE CONSTRAINT"))
        .anySatisfy(
            text ->
                assertThat(text)
                    .contains("public.t.d", "the base type public.own", "by hand")
                    .doesNotContain("that the task can create"))
        .hasSize(4);
  }

  @Test
  void aTypeWithoutInputIsRefused() throws SQLException {
    databases.onSource("CREATE TABLE t (a pg_node_tree, b pg_mcv_list, c gtsvector[])");
    assertThat(findings(true).problems().stream().map(Problem::toString))
        .allSatisfy(text -> assertThat(text).contains("which has no input on any server"))
        .hasSize(3);
  }

  @Test
  void whatDependsOnTheValuesIsNoted() throws SQLException {
    databases.onSource(
        "CREATE TABLE t (a regclass, b oid, c interval, d aclitem[])", "SELECT lo_create(0)");
    assertThat(findings(true).problems()).isEmpty();
    assertThat(findings(true).notes())
        .anySatisfy(text -> assertThat(text).contains("t.a", "regclass", "by name"))
        .anySatisfy(text -> assertThat(text).contains("t.b", "large objects"))
        .anySatisfy(text -> assertThat(text).contains("t.c", "infinite interval"))
        .anySatisfy(text -> assertThat(text).contains("t.d", "aclitem"))
        .hasSize(4);
  }
}
