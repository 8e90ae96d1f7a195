package dev.sluice.connector.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PositionTest {

  @Property
  void theTextFormComesBack(@ForAll long lsn) {
    assertThat(Position.parse(new Position(lsn).toString())).isEqualTo(new Position(lsn));
  }

  @Property
  void positionsAreOrderedUnsigned(@ForAll long one, @ForAll long other) {
    assertThat(Integer.signum(new Position(one).compareTo(new Position(other))))
        .isEqualTo(Integer.signum(Long.compareUnsigned(one, other)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/", "1/", "/1", "G/1", "123456789/1", "1/123456789", "1-2"})
  void whatIsNoPositionIsRefused(String text) {
    assertThatThrownBy(() -> Position.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'");
  }
}
