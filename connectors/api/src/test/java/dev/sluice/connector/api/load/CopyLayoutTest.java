package dev.sluice.connector.api.load;

import static java.util.Locale.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.RowFilter;
import dev.sluice.config.mappings.RowFilter.ColumnFilter;
import dev.sluice.config.mappings.RowFilter.Condition;
import dev.sluice.config.mappings.RowFilter.Operator;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CopyLayoutTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "integer",
        "numeric(10,2)",
        "numeric(3,-2)",
        "character varying(20)[]",
        "timestamp(3) without time zone",
        "timestamp without time zone",
        "text[]",
        "bit varying(5)"
      })
  void equalBuiltInTypesTravelInBinary(String type) {
    assertThat(layout(type, type).format()).isEqualTo(CopyFormat.BINARY);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "regclass",
        "regtype[]",
        "money",
        "app.mood",
        "public.\"integer\"",
        "public.text[]",
        "int4range",
        "interval",
        "interval day to second(3)"
      })
  void typesWhoseBinaryFormBelongsToOneServerTravelAsText(String type) {
    assertThat(layout(type, type).format()).isEqualTo(CopyFormat.TEXT);
  }

  @Test
  void floatsOfTablesWithoutAKeyAreCopiedAsText() {
    assertThat(layout("real[]", "real[]", false).format()).isEqualTo(CopyFormat.TEXT);
    assertThat(layout("double precision", "double precision", false).format())
        .isEqualTo(CopyFormat.TEXT);
    assertThat(layout("double precision", "double precision", true).format())
        .isEqualTo(CopyFormat.BINARY);
    assertThat(layout("numeric", "numeric", false).format()).isEqualTo(CopyFormat.BINARY);
  }

  @Test
  void oneColumnOfAnotherTypeMakesTheTableBeCopiedAsText() {
    CopyLayout layout =
        CopyLayout.between(
            List.of(column("a", "integer"), column("b", "numeric(10,2)")),
            List.of(column("a", "integer"), column("b", "numeric(12,2)")),
            Optional::of,
            Optional.empty(),
            true);

    assertThat(layout.format()).isEqualTo(CopyFormat.TEXT);
  }

  @Test
  void aColumnThatOnlyTheTargetGeneratesIsNotCopied() {
    CopyLayout layout =
        CopyLayout.between(
            List.of(
                new TableColumn("a", "integer", false), new TableColumn("sum", "integer", false)),
            List.of(
                new TableColumn("a", "integer", false), new TableColumn("sum", "integer", true)),
            Optional::of,
            Optional.empty(),
            true);
    assertThat(layout.columns()).containsExactly("a");
    assertThat(layout.targetColumns()).containsExactly("a");
  }

  @Test
  void generatedColumnsAreSkippedAndTheSourcesOrderIsKept() {
    CopyLayout layout =
        CopyLayout.between(
            List.of(
                column("z", "integer"),
                new TableColumn("sum", "integer", true),
                column("quo\"te", "integer")),
            List.of(column("quo\"te", "integer"), column("more", "text"), column("z", "integer")),
            Optional::of,
            Optional.empty(),
            true);

    String both = "\"S\".\"t\" (\"z\", \"quo\"\"te\")";
    assertThat(layout.source(new TableId("S", "t"), Optional.empty())).isEqualTo(both);
    assertThat(layout.target(new TableId("S", "t"))).isEqualTo(both);
    assertThat(layout.format()).isEqualTo(CopyFormat.BINARY);
  }

  @Test
  void columnsHaveTheirNamesOnTheTargetAndRemovedOnesAreNotRead() {
    CopyLayout layout =
        CopyLayout.between(
            List.of(column("a", "integer"), column("b", "text"), column("c", "text")),
            List.of(column("A", "integer"), column("C", "text")),
            name -> name.equals("b") ? Optional.empty() : Optional.of(name.toUpperCase(ROOT)),
            Optional.of(
                new RowFilter(
                    "1",
                    List.of(
                        new ColumnFilter("b", List.of(new Condition(Operator.EQ, List.of("1"))))))),
            true);

    assertThat(layout.source(new TableId("s", "t"), Optional.empty()))
        .isEqualTo("(SELECT \"a\", \"c\" FROM ONLY \"s\".\"t\" WHERE (((\"b\" = '1'))))");
    assertThat(layout.source(new TableId("s", "t"), Optional.of("a < 1 OR a > 9")))
        .isEqualTo(
            "(SELECT \"a\", \"c\" FROM ONLY \"s\".\"t\""
                + " WHERE (((\"b\" = '1'))) AND (a < 1 OR a > 9))");
    assertThat(layout.target(new TableId("s", "t"))).isEqualTo("\"s\".\"t\" (\"A\", \"C\")");
    assertThat(layout.format()).isEqualTo(CopyFormat.BINARY);
  }

  private static CopyLayout layout(String source, String target) {
    return layout(source, target, true);
  }

  private static CopyLayout layout(String source, String target, boolean keyed) {
    return CopyLayout.between(
        List.of(column("a", source)),
        List.of(column("a", target)),
        Optional::of,
        Optional.empty(),
        keyed);
  }

  private static TableColumn column(String name, String type) {
    return new TableColumn(name, type, false);
  }
}
