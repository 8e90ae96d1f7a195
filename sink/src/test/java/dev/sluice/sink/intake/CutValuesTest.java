package dev.sluice.sink.intake;

import static dev.sluice.connector.api.RowBuilder.rowOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.transformation.LobLimits;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CutValuesTest {
  private static final TableId TABLE = new TableId("s", "t");
  private static final int KB = 1024;

  private final CutCounts counts = new CutCounts();
  private final CutValues cut =
      new CutValues(fingerprint -> null, new LobLimits(1, Map.of()), counts);

  @Test
  void aTextIsCutBehindItsCharactersAndNotWithinOne() {
    RowSchema schema = schema(column("id", "integer", true), column("t", "text", false));
    RowChange change = change(schema, null, rowOf("1", "é€𝄞".repeat(KB)));
    assertThat(change.row()).isEqualTo(rowOf("1", "é€𝄞".repeat(KB / 3) + "é"));
    assertThat(counts.of(TABLE)).isEqualTo(1);
  }

  @Test
  void whatIsAsLongAsTheLimitStays() {
    RowSchema schema = schema(column("t", "character varying", false));
    for (String value : List.of("€".repeat(KB), "x".repeat(KB), "")) {
      assertThat(change(schema, null, rowOf(value)).row()).isEqualTo(rowOf(value));
    }
    assertThat(counts.of(TABLE)).isZero();
  }

  @Test
  void ofABytesValueSoManyBytesStay() {
    RowSchema schema = schema(column("b", "bytea", false));
    RowChange change = change(schema, null, rowOf("\\x" + "0a".repeat(KB + 1)));
    assertThat(change.row()).isEqualTo(rowOf("\\x" + "0a".repeat(KB)));
    assertThat(counts.of(TABLE)).isEqualTo(1);
  }

  @Test
  void aBytesValueOfExactlyTheLimitStaysAndIsNotCounted() {
    RowSchema schema = schema(column("b", "bytea", false));
    assertThat(change(schema, null, rowOf("\\x" + "0a".repeat(KB))).row())
        .isEqualTo(rowOf("\\x" + "0a".repeat(KB)));
    assertThat(counts.of(TABLE)).isZero();
  }

  @Test
  void oneCharacterTooManyIsCutOff() {
    RowSchema schema = schema(column("t", "text", false), column("u", "text", false));
    RowChange change = change(schema, null, rowOf("x".repeat(KB + 1), "€".repeat(KB + 1)));
    assertThat(change.row()).isEqualTo(rowOf("x".repeat(KB), "€".repeat(KB)));
    assertThat(counts.of(TABLE)).isEqualTo(2);
    assertThat(change(schema(column("t", "text", false)), null, rowOf("x".repeat(KB + 1))).row())
        .isEqualTo(rowOf("x".repeat(KB)));
  }

  @Test
  void theKeyThatFindsARowIsNeverCutWhereverItIsInTheRow() {
    RowSchema schema = schema(column("t", "text", false), column("k", "text", true));
    String key = "k".repeat(2 * KB);
    RowChange change = change(schema, rowOf(key), rowOf("a".repeat(2 * KB), key));
    assertThat(change.match()).isEqualTo(rowOf(key));
    assertThat(change.row()).isEqualTo(rowOf("a".repeat(KB), key));
  }

  @Test
  void keysOtherTypesNullsAndValuesNotInTheLogAreNotCut() {
    String large = "x".repeat(2 * KB);
    RowSchema schema =
        schema(
            column("k", "text", true),
            column("j", "json", false),
            column("a", "text[]", false),
            column("v", "character varying(3000)", false),
            column("n", "text", false),
            column("u", "text", false));
    RowBuilder row = new RowBuilder(64);
    row.add(large).add(large).add(large).add(large).addNull().addUnchanged();
    RowChange change = new RowChange(schema, rowOf(large), row.build());
    assertThat(cut.mapped(change)).isEqualTo(change);
  }

  @Test
  void withoutAKeyTheOldRowIsFoundAsItWasCutAndCountedOnce() {
    RowSchema schema = schema(column("t", "text", false));
    RowChange change = change(schema, rowOf("a".repeat(5_000)), rowOf("b".repeat(5_000)));
    assertThat(change.match()).isEqualTo(rowOf("a".repeat(KB)));
    assertThat(change.row()).isEqualTo(rowOf("b".repeat(KB)));
    assertThat(counts.of(TABLE)).isEqualTo(1);
  }

  @Test
  void aTableWithItsOwnRuleFollowsThatRule() {
    LobLimits limits = new LobLimits(1, Map.of(TABLE, 0L));
    RowChange change =
        new RowChange(schema(column("t", "text", false)), null, rowOf("x".repeat(5_000)));
    assertThat(new CutValues(fingerprint -> null, limits, counts).mapped(change)).isSameAs(change);
  }

  @Test
  void whatARowWasBeforeIsCutAndNotCounted() {
    RowSchema schema =
        schema(column("k", "text", true), column("t", "text", false), column("u", "text", false));
    Row before = new RowBuilder(64).add("1").addUnchanged().add("b".repeat(5_000)).build();
    RowChange change =
        (RowChange)
            cut.mapped(
                new RowChange(schema, rowOf("1"), rowOf("1", "a".repeat(5_000), "short"), before));

    assertThat(change.row()).isEqualTo(rowOf("1", "a".repeat(KB), "short"));
    assertThat(change.before())
        .isEqualTo(new RowBuilder(64).add("1").addUnchanged().add("b".repeat(KB)).build());
    assertThat(counts.of(TABLE)).isEqualTo(1);
  }

  private RowChange change(RowSchema schema, Row match, Row row) {
    return (RowChange) cut.mapped(new RowChange(schema, match, row));
  }

  private static RowSchema schema(Column... columns) {
    return new RowSchema(TABLE, List.of(columns));
  }

  private static Column column(String name, String type, boolean key) {
    return new Column(name, type, true, key);
  }
}
