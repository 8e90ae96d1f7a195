package dev.sluice.connector.mariadb.capture.succession;

import dev.sluice.connector.mariadb.capture.position.Gtid;
import dev.sluice.connector.mariadb.capture.position.GtidBookmark;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/**
 * Decides whether a place in another server's log has the transactions of a bookmark before it, no
 * more and no fewer. A server that was made of a backup lacks what was logged before that; so only
 * what it has of a server counts, and of each domain the last transaction. Pure.
 *
 * @param then what the task has
 */
record SameTransactions(GtidBookmark then) {

  /**
   * A transaction that the task does not have.
   *
   * @param now of each server in each domain the last one before the place
   */
  Optional<Gtid> beyond(Collection<Gtid> now) {
    return now.stream()
        .filter(each -> of(each).map(known -> known.number() < each.number()).orElse(true))
        .findFirst();
  }

  /** The last transaction of a domain that the task has, and that is not before the place. */
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

  /** Whether the place has exactly the transactions of the task. */
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
