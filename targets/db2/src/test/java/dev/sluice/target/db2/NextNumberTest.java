package dev.sluice.target.db2;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.connector.api.load.SequenceState.Form;
import java.math.BigInteger;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Counters that cycle, or begin late, are Db2's alone: Derby has none of them. */
class NextNumberTest {
  private static final Form SOURCE = new Form(1, 1, 1000, 1, false);

  @Test
  void itIsOneStepOfTheCounterBehindWhatTheSourceHasGiven() {
    assertThat(next(7, SOURCE, new Form(5, 1, 1000, 1, false))).hasValue(number(12));
    assertThat(next(-7, falls(false), new Form(-5, -1000, -1, 1, false))).hasValue(number(-12));
  }

  @Test
  void aNumberThatTheSourceHasNotGivenIsGivenItself() {
    SequenceState fresh =
        new SequenceState(new TableId("s", "n"), Optional.empty(), 7, false, SOURCE);
    assertThat(NextNumber.of(fresh, SOURCE)).hasValue(number(7));
  }

  @Test
  void aCounterThatBeginsAboveTheSourcesNumberBeginsAtItsFirstOne() {
    assertThat(next(7, SOURCE, new Form(1, 500, 1000, 1, false))).hasValue(number(500));
    assertThat(next(-7, falls(false), new Form(-1, -1000, -500, 1, false))).hasValue(number(-500));
  }

  @Test
  void aCounterAtItsEndBeginsAgainIfItCyclesAndHasNoNumberIfNot() {
    assertThat(next(1000, cycles(SOURCE), cycles(SOURCE))).hasValue(number(1));
    assertThat(next(1000, SOURCE, SOURCE)).isEmpty();
    assertThat(next(-1000, falls(true), falls(true))).hasValue(number(-1));
    assertThat(next(-1000, falls(false), falls(false))).isEmpty();
  }

  /** The type of the column may be the source's largest. */
  @Test
  void theLargestNumberOfAllHasNoneBehindIt() {
    Form all = new Form(1, 1, Long.MAX_VALUE, 1, false);
    assertThat(next(Long.MAX_VALUE, all, all)).isEmpty();
    assertThat(next(Long.MAX_VALUE, all, cycles(all))).hasValue(number(1));
  }

  @Test
  void aCounterInTheOtherDirectionBeginsBehindAllNumbersOfTheSequence() {
    Form falling = new Form(-1, 1, 1000, 1, false);
    assertThat(next(100, falling, new Form(1, 1, 5000, 1, false))).hasValue(number(1001));
    assertThat(next(100, falling, SOURCE)).isEmpty();
  }

  private static Optional<BigInteger> next(long last, Form source, Form counter) {
    return NextNumber.of(
        new SequenceState(new TableId("s", "n"), Optional.empty(), last, true, source), counter);
  }

  private static Form falls(boolean cycles) {
    return new Form(-1, -1000, -1, 1, cycles);
  }

  private static Form cycles(Form form) {
    return new Form(form.increment(), form.min(), form.max(), form.cache(), true);
  }

  private static BigInteger number(long value) {
    return BigInteger.valueOf(value);
  }
}
