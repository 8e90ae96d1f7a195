package dev.sluice.connector.mariadb.capture.succession;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/*
 * An address may lead to replicas in turn, and a former primary may replicate from the new one:
 * then the capture still gets everything. So only transactions count that the other server has
 * executed since it was first seen, and only if the captured server does not get them, however far
 * the capture has read. Older transactions prove nothing: a server that was created from a backup
 * does not list them.
 */
/**
 * Decides whether a capture has to leave the server whose log it reads, since applications write to
 * another one. Pure; owned by {@link AddressWatch}.
 */
final class LeavingRule {
  /** The interval between two checks; each one is a login. */
  static final Duration BETWEEN_LOOKS = Duration.ofSeconds(30);

  /** The time in which a replica gets what its primary has written. */
  static final Duration ON_THE_WAY = Duration.ofSeconds(15);

  private Instant next = Instant.MIN;

  /** Whether the next check is due soon, since its answer may be the reason to leave. */
  private boolean soon;

  /** The other server, as it was first seen; null while there is none. */
  private AddressedServer other;

  /** The transactions that it has executed since then; null if there are none. */
  private ExecutedTransactions awaited;

  private Instant since;

  /** Whether the next check of the address is due. */
  boolean isDue(Instant now) {
    return soon || !now.isBefore(next);
  }

  /**
   * Notes a check, also one that fails: a server may refuse the login, and count that, or not
   * answer.
   */
  void asked(Instant now) {
    next = now.plus(BETWEEN_LOOKS);
    soon = false;
  }

  /**
   * Takes the answer of a check.
   *
   * @param captured the identity of the server that is read
   * @param has the transactions that the captured server has executed, read after the answer
   * @return the transactions because of which the capture has to leave its server; empty if it may
   *     stay
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
