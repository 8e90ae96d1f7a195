package dev.sluice.connector.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class CollationTest {
  private static Collation of(String provider, String locale, String recorded, String actual) {
    return new Collation("x", provider, locale, null, true, recorded, actual);
  }

  @Test
  void bytesHaveOneOrderInEncodingsThatSortByCodePoint() {
    Optional<String> utf8 = of("c", "C", null, null).order("UTF8");

    assertThat(utf8).isPresent().isEqualTo(of("c", "POSIX", null, null).order("LATIN1"));
    assertThat(of("c", "C", null, null).order("EUC_JP")).isPresent().isNotEqualTo(utf8);
    assertThat(of("b", "C", null, null).order("UTF8")).isEqualTo(utf8);
  }

  @Test
  void ordersAreTheSameOnlyWithProviderLocaleAndActualVersion() {
    Optional<String> order = of("i", "en", "1", "1").order("UTF8");

    assertThat(order).isPresent();
    assertThat(of("i", "en", null, "1").order("UTF8")).isEqualTo(order);
    assertThat(of("i", "en", null, "2").order("UTF8")).isNotEqualTo(order);
    assertThat(of("i", "de", "1", "1").order("UTF8")).isNotEqualTo(order);
    assertThat(of("c", "en", "1", "1").order("UTF8")).isNotEqualTo(order);
    assertThat(new Collation("x", "i", "en", "&b<a", true, "1", "1").order("UTF8"))
        .isNotEqualTo(order);
    assertThat(new Collation("x", "i", "en", null, false, "1", "1").order("UTF8"))
        .isNotEqualTo(order);
  }

  @Test
  void anUnknownVersionOrOneThatIndexesWereNotBuiltWithIsNoOrder() {
    assertThat(of("c", "en_US.UTF-8", null, null).order("UTF8")).isEmpty();
    Collation stale = of("i", "en", "1", "2");
    assertThat(stale.order("UTF8")).isEmpty();
    assertThat(stale.isStale()).isTrue();
    assertThat(stale.staleMessage("table t", "c")).contains("REINDEX").contains("version 1");
  }
}
