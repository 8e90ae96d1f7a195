package dev.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TableIdTest {

  @Test
  void aNameIsReadAsTheCatalogSpellsIt() {
    assertThat(TableId.parse("shop.Orders")).isEqualTo(new TableId("shop", "Orders"));
    assertThat(TableId.parse("\"my.shop\".order lines"))
        .isEqualTo(new TableId("my.shop", "order lines"));
  }

  @Test
  void aQuotedNameIsReadBack() {
    TableId odd = new TableId("a.\"b", "c\"\".d ");
    assertThat(TableId.parse(odd.quoted())).isEqualTo(odd);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "orders", "a.b.c", "shop.", ".orders", "\"shop\"orders", "shop.\"orders", "."})
  void whatIsNoNameIsRefused(String text) {
    assertThatThrownBy(() -> TableId.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("SCHEMA.TABLE");
  }
}
