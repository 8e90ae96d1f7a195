package dev.sluice.connector.mariadb.capture.succession;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/*
 * An address may lead to replicas in turn, and a former primary may follow the new one: then the
 * capture gets all that is written. So only what the other server has executed since it was seen
 * first counts, and only if the captured server does not get it, however far the capture has read.
 * Older transactions say nothing: a server that was made of a backup does not name them.
 */
/**
 * Decides whether a capture has to leave the server whose log it reads, since applications write to
 * another one. Pure; owned by {@link AddressWatch}.
 */
final class LeavingRule {
  /** Each look is a login. */
  static final Duration BETWEEN_LOOKS = Duration.ofSeconds(30);

  /** The time in which a replica has what its primary has written. */
  static final Duration ON_THE_WAY = Duration.ofSeconds(15);

  private Instant next = Instant.MIN;

  /** Whether the next answer may be the reason to leave. */
  private boolean soon;

  /** The other server, as it was seen first; null while none is. */
  private AddressedServer other;

  /** What it has executed since then; null while that is nothing. */
  private ExecutedTransactions awaited;

  private Instant since;

  /** Whether it is time to ask who is at the address. */
  boolean isDue(Instant now) {
    return soon || !now.isBefore(next);
  }

  /** The address is asked now. It may refuse the login, which a server counts, or not answer. */
  void asked(Instant now) {
    next = now.plus(BETWEEN_LOOKS);
    soon = false;
  }

  /**
   * Takes an answer of the address that was asked.
   *
   * @param captured the identity of the server that is read
   * @param has what that server has executed, asked after the answer
   * @return the transactions for which the capture has to leave its server; empty if it has not to
   */
  Optional<ExecutedTransactions> take(
      Instant now, AddressedServer answer, String captured, ExecutedTransactions has) {
    Optional<ExecutedTransactions> reason = judge(now, answer, captured, has);
    soon = awaited != null;
    return reason;
  }

  private Optional<ExecutedTransactions> judge(
      Instant now, AddressedServer answer, String captured, ExecutedTransactions has) {
    if (answer.identity().equals(captured) || !answer.leads()) {
      other = null;
      awaited = null;
      return Optional.empty();
    }
    if (other == null || !other.identity().equals(answer.identity())) {
      seen(answer);
      return Optional.empty();
    }
    if (awaited == null) {
      ExecutedTransactions written = answer.executed().without(other.executed());
      awaited = written.isEmpty() ? null : written;
      since = now;
      return Optional.empty();
    }
    ExecutedTransactions missing = awaited.without(has);
    if (missing.isEmpty()) {
      seen(answer);
      return Optional.empty();
    }
    return now.isBefore(since.plus(ON_THE_WAY)) ? Optional.empty() : Optional.of(missing);
  }

  private void seen(AddressedServer answer) {
    other = answer;
    awaited = null;
  }
}
