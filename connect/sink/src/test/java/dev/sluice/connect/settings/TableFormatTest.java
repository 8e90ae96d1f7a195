package dev.sluice.connect.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TableFormatTest {
  private static final TableId SOURCE = new TableId("shop", "order.lines");

  @Test
  void aTableIsCalledAsTheFormatSays() {
    assertThat(TableFormat.parse(TableFormat.SAME).targetOf(SOURCE)).isEqualTo(SOURCE);
    assertThat(TableFormat.parse("archive.${schema}_${table}_v2").targetOf(SOURCE))
        .isEqualTo(new TableId("archive", "shop_order.lines_v2"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "${table}", ".${table}", "archive.", "archive.all", "a.${topic}${table}"})
  void aFormatThatCannotTellTablesApartIsRefused(String text) {
    assertThatThrownBy(() -> TableFormat.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
