package dev.sluice.connector.generic.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlaceTextTest {
  @Test
  void eachFormIsReadAsItsDatabaseWritesIt() {
    assertThat(PlaceText.parse("4AF/B00000D0")).contains(new PlaceText.Lsn(0x4AFB00000D0L));
    assertThat(PlaceText.parse("mariadb-bin.000042:4711"))
        .contains(new PlaceText.InFile("mariadb-bin.000042", 4711));
    assertThat(PlaceText.parse("{\"file\": \"b.1\", \"pos\": 4, \"transaction_id\": null}"))
        .contains(new PlaceText.Offset(Map.of("file", "b.1", "pos", 4L)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "now", "4AF", "0-1-4711", "mariadb-bin.000042", "{\"file\"", "[1]"})
  void whatHasNoneOfTheFormsIsNoPlace(String text) {
    assertThat(PlaceText.parse(text)).isEmpty();
  }
}
