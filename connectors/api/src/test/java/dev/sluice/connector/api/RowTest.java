package dev.sluice.connector.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class RowTest {

  @Property
  void valuesComeBackAsTheyWereAdded(@ForAll("values") List<String> values) {
    Row row = RowBuilder.rowOf(values.toArray(String[]::new));

    assertThat(row.columns()).isEqualTo(values.size());
    for (int i = 0; i < values.size(); i++) {
      assertThat(row.text(i)).isEqualTo(values.get(i));
    }
  }

  @Property
  void rowsAreEqualExactlyWhenTheirValuesAre(
      @ForAll("values") List<String> one, @ForAll("values") List<String> other) {
    Row first = RowBuilder.rowOf(one.toArray(String[]::new));
    Row second = RowBuilder.rowOf(other.toArray(String[]::new));

    assertThat(first.equals(second)).isEqualTo(one.equals(other));
  }

  @Test
  void onlyUnchangedValuesAreFilledFromTheEarlierImage() {
    Row earlier = RowBuilder.rowOf("1", "old text", null);
    Row later = new RowBuilder(16).add("1").addUnchanged().add("new").build();

    assertThat(later.filledFrom(earlier)).isEqualTo(RowBuilder.rowOf("1", "old text", "new"));
  }

  @Test
  void whatIsUnchangedInBothStaysUnchanged() {
    Row earlier = new RowBuilder(16).add("1").addUnchanged().build();
    Row later = new RowBuilder(16).add("2").addUnchanged().build();

    Row filled = later.filledFrom(earlier);

    assertThat(filled.text(0)).isEqualTo("2");
    assertThat(filled.isUnchanged(1)).isTrue();
  }

  @Test
  void anEarlierImageHasOnlyValuesThatDifferFromTheLaterOne() {
    Row earlier = RowBuilder.rowOf("1", "old", "same", null, null, "");
    Row later = RowBuilder.rowOf("2", "olD", "same", null, "", null);

    Row before = earlier.asBefore(later);

    assertThat(before)
        .isEqualTo(
            new RowBuilder(16)
                .add("1")
                .add("old")
                .addUnchanged()
                .addUnchanged()
                .addNull()
                .add("")
                .build());
    assertThat(before.filledFrom(later)).isEqualTo(earlier);
  }

  @Test
  void anEmptyTextIsNotNull() {
    Row row = RowBuilder.rowOf("", null);

    assertThat(row.text(0)).isEmpty();
    assertThat(row.text(1)).isNull();
  }

  @Test
  void aProjectionHasTheNamedColumnsInOrder() {
    assertThat(RowBuilder.rowOf("a", null, "c", "d").project(new int[] {1, 3}))
        .isEqualTo(RowBuilder.rowOf(null, "d"));
  }

  @Provide
  Arbitrary<List<String>> values() {
    return Arbitraries.strings().ofMaxLength(200).injectNull(0.2).list().ofMaxSize(6);
  }
}
