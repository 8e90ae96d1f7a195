package dev.sluice.connector.mariadb.capture.succession;

import dev.sluice.connector.mariadb.capture.position.Gtid;
import dev.sluice.connector.mariadb.capture.position.GtidBookmark;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/**
 * Decides whether a place in another server's log has exactly the transactions of a bookmark before
 * it. A server that was created from a backup lacks earlier transactions in its log. So only
 * servers that occur in its log are compared, and the last transaction of each domain. Pure.
 *
 * @param then the transactions that the task has
 */
record SameTransactions(GtidBookmark then) {

  /**
   * A transaction before the place that the task does not have.
   *
   * @param now the last one before the place of each server in each domain
   */
  Optional<Gtid> beyond(Collection<Gtid> now) {
    return now.stream()
        .filter(each -> of(each).map(known -> known.number() < each.number()).orElse(true))
        .findFirst();
  }

  /** The task's last transaction of a domain that is not before the place. */
  Optional<Gtid> missing(Collection<Gtid> now) {
    return then.all().stream()
        .map(each -> lastOf(each.domain()))
        .filter(
            last ->
                now.stream()
                    .noneMatch(
                        each -> each.domain() == last.domain() && each.number() >= last.number()))
        .findFirst();
  }

  /** Whether the place has exactly the task's transactions before it. */
  boolean areBehind(Collection<Gtid> now) {
    return then.all().stream().allMatch(each -> now.contains(lastOf(each.domain())))
        && now.stream().allMatch(each -> of(each).equals(Optional.of(each)));
  }

  /** Whether it is the last transaction of its domain that the task has. */
  boolean isLast(Gtid gtid) {
    return then.all().contains(gtid) && lastOf(gtid.domain()).equals(gtid);
  }

  /** The last transaction of a domain that the task has. */
  private Gtid lastOf(long domain) {
    return then.all().stream()
        .filter(each -> each.domain() == domain)
        .max(Comparator.comparingLong(Gtid::number))
        .orElseThrow();
  }

  private Optional<Gtid> of(Gtid other) {
    return then.all().stream().filter(each -> each.isOfSameOrigin(other)).findFirst();
  }
}
