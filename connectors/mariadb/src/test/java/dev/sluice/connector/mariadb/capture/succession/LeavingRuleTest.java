package dev.sluice.connector.mariadb.capture.succession;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LeavingRuleTest {
  private static final String SERVER = "3e11fa47-71ca-11e1-9e33-c80aa9429562";

  private Instant now = Instant.parse("2024-03-01T12:00:00Z");
  private final LeavingRule rule = new LeavingRule();

  @Test
  void aServerIsLeftThatDoesNotGetWhatTheOneAtTheAddressHasExecutedSinceItIsThere() {
    assertThat(primary("new", "0-1-7,0-2-8", "0-1-7")).isEmpty();
    pass(5);
    assertThat(primary("new", "0-1-7,0-2-9", "0-1-7")).isEmpty();
    pass(14);
    assertThat(primary("new", "0-1-7,0-2-10", "0-1-11")).isEmpty();
    pass(1);
    // Whatever the former one writes itself has a number, too.
    assertThat(primary("new", "0-1-7,0-2-10", "0-1-11")).contains("0-2-9");
  }

  @Test
  void theSameOfTheSetsOfMysql() {
    assertThat(mysql("1-8", "1-5")).isEmpty();
    pass(5);
    assertThat(mysql("1-9", "1-5")).isEmpty();
    pass(15);
    assertThat(mysql("1-12", "1-5")).contains(SERVER + ":9");
  }

  @Test
  void aFormerPrimaryThatFollowsTheNewOneIsReadOn() {
    primary("new", "0-1-7", "0-1-7");
    for (int number = 8; number < 20; number++) {
      pass(15);
      assertThat(primary("new", "0-1-7,0-2-" + number, "0-1-7,0-2-" + (number - 1))).isEmpty();
    }
  }

  @Test
  void anotherPrimaryThatExecutesNothingIsNoReason() {
    for (int i = 0; i < 5; i++) {
      // It names transactions that the log of the one that is read never had.
      assertThat(primary("new", "0-1-7,0-5-3", "0-1-7")).isEmpty();
      pass(60);
    }
  }

  @Test
  void serversInTurnAndThoseThatOnlyReadAreNoReason() {
    for (int number = 8; number < 20; number++) {
      assertThat(primary("one", "0-2-" + number, "0-1-7")).isEmpty();
      pass(30);
      assertThat(primary("other", "0-3-" + number, "0-1-7")).isEmpty();
      pass(30);
    }
    for (int number = 8; number < 20; number++) {
      assertThat(primary("one", "0-2-" + number, "0-1-7")).isEmpty();
      pass(30);
      assertThat(primary("captured", "0-1-7", "0-1-7")).isEmpty();
      pass(30);
    }
    for (int number = 8; number < 20; number++) {
      assertThat(take(new AddressedServer("replica", false, gtids("0-2-" + number)), gtids("")))
          .isEmpty();
      pass(30);
    }
  }

  @Test
  void theAddressIsAskedSeldomUntilThereIsWhatMayBeAReasonToLeave() {
    assertThat(rule.isDue(now)).isTrue();
    primary("captured", "0-1-7", "0-1-7");
    requireSeldom();
    primary("new", "0-1-7", "0-1-7");
    requireSeldom();
    primary("new", "0-1-7,0-2-8", "0-1-7");
    assertThat(rule.isDue(now)).isTrue();
    // It has it: it follows the new one.
    primary("new", "0-1-7,0-2-8", "0-1-7,0-2-8");
    requireSeldom();
    primary("new", "0-1-7,0-2-9", "0-1-7,0-2-8");
    assertThat(rule.isDue(now)).isTrue();
    primary("captured", "0-1-7", "0-1-7");
    requireSeldom();
  }

  @Test
  void anAddressThatDoesNotAnswerIsAskedSeldom() {
    rule.asked(now);
    requireSeldom();
    primary("new", "0-1-7", "0-1-7");
    primary("new", "0-1-7,0-2-8", "0-1-7");
    rule.asked(now);
    requireSeldom();
  }

  private void requireSeldom() {
    assertThat(rule.isDue(now)).isFalse();
    pass(29);
    assertThat(rule.isDue(now)).isFalse();
    pass(1);
    assertThat(rule.isDue(now)).isTrue();
  }

  private void pass(int seconds) {
    now = now.plus(Duration.ofSeconds(seconds));
  }

  private Optional<String> primary(String server, String executed, String captured) {
    return take(new AddressedServer(server, true, gtids(executed)), gtids(captured));
  }

  private Optional<String> mysql(String executed, String captured) {
    return take(new AddressedServer("new", true, set(executed)), set(captured));
  }

  private Optional<String> take(AddressedServer answer, ExecutedTransactions has) {
    rule.asked(now);
    return rule.take(now, answer, "captured", has).map(ExecutedTransactions::toString);
  }

  private static ExecutedTransactions gtids(String text) {
    return ExecutedTransactions.ofMariadb(text);
  }

  private static ExecutedTransactions set(String numbers) {
    return ExecutedTransactions.ofMysql(SERVER + ":" + numbers);
  }
}
