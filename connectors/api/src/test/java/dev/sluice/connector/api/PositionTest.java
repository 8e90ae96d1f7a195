package dev.sluice.connector.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PositionTest {

  @Property
  void theTextFormComesBack(@ForAll("positions") Position position) {
    assertThat(Position.parse(position.toString())).isEqualTo(position);
  }

  @Property
  void aTextWithZerosInFrontOrInLowerCaseIsTheSamePosition(@ForAll("positions") Position position) {
    String padded =
        String.format(
            "%08x/%08x/%08x/%08x",
            position.high() >>> 32,
            position.high() & 0xFFFFFFFFL,
            position.low() >>> 32,
            position.low() & 0xFFFFFFFFL);
    assertThat(Position.parse(padded)).isEqualTo(position);
  }

  @Property
  void positionsAreOrderedAsUnsignedNumbers(
      @ForAll("positions") Position one, @ForAll("positions") Position other) {
    int order = numberOf(one).compareTo(numberOf(other));
    assertThat(Integer.signum(one.compareTo(other))).isEqualTo(order);
    assertThat(one.equals(other)).isEqualTo(order == 0);
    assertThat(one.isAfter(other)).isEqualTo(order > 0);
    assertThat(numberOf(one.max(other))).isEqualTo(numberOf(one).max(numberOf(other)));
    assertThat(Position.MAX.isAfter(one) || one.equals(Position.MAX)).isTrue();
    assertThat(Position.ZERO.isAfter(one)).isFalse();
  }

  @Property
  void theNextPositionIsOneMore(@ForAll("positions") Position position) {
    if (position.equals(Position.MAX)) {
      assertThatThrownBy(position::next).isInstanceOf(IllegalStateException.class);
    } else {
      assertThat(numberOf(position.next())).isEqualTo(numberOf(position).add(BigInteger.ONE));
    }
  }

  @Property
  void aPositionOf64BitsHasTheFormOfPostgreSql(@ForAll long number) {
    assertThat(new Position(number).toString())
        .isEqualTo("%X/%X".formatted(number >>> 32, number & 0xFFFFFFFFL));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0/0",
    "0, 97500059720, 16/B374D848",
    "1, 0, 1/0/0",
    "4294967296, 10, 1/0/0/A",
    "-1, -1, FFFFFFFF/FFFFFFFF/FFFFFFFF/FFFFFFFF"
  })
  void theTextFormHasAsManyWordsAsTheNumberNeedsAndTwoAtLeast(long high, long low, String text) {
    assertThat(new Position(high, low)).hasToString(text);
  }

  @Test
  void theFirstAndTheLastPositionHaveANumberOfAllBits() {
    assertThat(numberOf(Position.ZERO)).isZero();
    assertThat(numberOf(Position.MAX))
        .isEqualTo(BigInteger.ONE.shiftLeft(128).subtract(BigInteger.ONE));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "1",
        "1/",
        "/1",
        "G/1",
        "+1/1",
        "-1/1",
        "123456789/1",
        "1/123456789",
        "1-2",
        "1/2/3/4/5",
        "1//2",
        "1/2/",
        "1/\u0661"
      })
  void whatIsNoPositionIsRefused(String text) {
    assertThatThrownBy(() -> Position.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'");
  }

  /** Any bits, and often those next to a border of a word. */
  @Provide
  Arbitrary<Position> positions() {
    Arbitrary<Long> longs =
        Arbitraries.frequencyOf(
            Tuple.of(2, Arbitraries.longs()),
            Tuple.of(
                1,
                Arbitraries.of(0L, 1L, -1L, 1L << 32, (1L << 32) - 1, 1L << 63, (1L << 63) - 1)));
    return Combinators.combine(longs, longs).as(Position::new);
  }

  private static BigInteger numberOf(Position position) {
    return new BigInteger(Long.toUnsignedString(position.high()))
        .shiftLeft(64)
        .or(new BigInteger(Long.toUnsignedString(position.low())));
  }
}
