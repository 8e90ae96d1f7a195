package dev.sluice.engine.validate.repair;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.engine.validate.session.RowDifference;
import dev.sluice.sink.apply.CorrectionErrors;
import dev.sluice.sink.apply.RowCorrections.HeldTooLong;
import dev.sluice.sink.apply.RowCorrections.RowHeld;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Writes the rows of a round. If the target rejects a row, or the write takes too long, the rows
 * are divided to find the cause: first into groups that exchange unique values, then into single
 * rows. So a row that is rejected, or locked by another session, does not prevent the repair of the
 * others. Used for one round, by one thread.
 */
final class RoundWriter {
  /** After this many rejected rows the rest is not divided any more. */
  static final int MOST_REFUSED = 100;

  /**
   * After this many transactions that waited for a row lock, or reached the longest hold of the
   * lane, the rest is not divided any more.
   */
  static final int MOST_WAITS = 20;

  /** How often the complete round is tried again after a conflict with another transaction. */
  static final int MOST_OVERTAKEN = 10;

  private static final String NOT_NOW = "not possible now: ";
  private static final String CHANGED = "they were changed meanwhile";

  private final Transaction transaction;
  private final CorrectionErrors errors;
  private final Groups groups;
  private final List<RowDifference> written = new ArrayList<>();
  private final Map<RowDifference, String> refused = new LinkedHashMap<>();
  private final Map<RowDifference, String> conflicting = new LinkedHashMap<>();
  private final List<RowDifference> inOthersHands = new ArrayList<>();
  private Optional<String> why = Optional.empty();
  private int waits;
  private int overtaken;
  private boolean ended;

  /** Writes rows in one transaction. */
  interface Transaction {

    /**
     * @return the rows that were written, since they are still as they were read
     */
    List<RowDifference> write(List<RowDifference> rows) throws HeldTooLong, RowHeld;
  }

  /** Groups rows that must be written together. */
  interface Groups {
    List<List<RowDifference>> of(List<RowDifference> rows);
  }

  RoundWriter(Transaction transaction, CorrectionErrors errors, Groups groups) {
    this.transaction = transaction;
    this.errors = errors;
    this.groups = groups;
  }

  /** Writes as many of the rows as possible. */
  void write(List<RowDifference> rows) {
    if (ended || refused.size() + conflicting.size() >= MOST_REFUSED) {
      why = why.or(() -> Optional.of("the target rejects too many others"));
      return;
    }
    try {
      List<RowDifference> now = transaction.write(rows);
      written.addAll(now);
      if (now.size() < rows.size()) {
        why = why.or(() -> Optional.of(CHANGED));
      }
    } catch (HeldTooLong e) {
      if (rows.size() == 1) {
        why = Optional.of(e.getMessage());
      }
      waited(rows, e);
    } catch (RowHeld e) {
      if (rows.size() == 1) {
        inOthersHands.add(rows.get(0));
      }
      waited(rows, e);
    } catch (SluiceException.Data e) {
      rejected(rows, e);
    } catch (SluiceException.Table e) {
      end("the target rejects it: " + e.getMessage());
    } catch (SluiceException.Retryable e) {
      if (errors.isOvertaken(e) && overtaken < MOST_OVERTAKEN) {
        overtaken++;
        write(rows);
      } else {
        end(NOT_NOW + e.getMessage());
      }
    } catch (NotReadable e) {
      end(NOT_NOW + e.getMessage());
    }
  }

  /** Counts a transaction that waited for a row lock, or held the lane for too long. */
  private void waited(List<RowDifference> rows, Exception error) {
    waits++;
    if (waits >= MOST_WAITS) {
      end(NOT_NOW + error.getMessage());
    } else if (rows.size() > 1) {
      divide(rows);
    }
  }

  private void rejected(List<RowDifference> rows, SluiceException.Data error) {
    if (!errors.isOfRow(error)) {
      end("the target rejects it: " + error.getMessage());
    } else if (rows.size() > 1) {
      divide(rows);
    } else {
      (errors.isConflict(error) ? conflicting : refused).put(rows.get(0), error.getMessage());
    }
  }

  /** Stops: no other row would have more success. */
  private void end(String reason) {
    why = Optional.of(reason);
    ended = true;
  }

  private void divide(List<RowDifference> rows) {
    List<List<RowDifference>> parts = groups.of(rows);
    if (parts.size() == 1) {
      parts = rows.stream().map(List::of).toList();
    }
    int half = parts.size() / 2;
    write(parts.subList(0, half).stream().flatMap(List::stream).toList());
    write(parts.subList(half, parts.size()).stream().flatMap(List::stream).toList());
  }

  List<RowDifference> written() {
    return written;
  }

  /** Rows that the target rejects by themselves, with its messages. */
  Map<RowDifference, String> refused() {
    return refused;
  }

  /** Rows with a unique value that another row of the target has. */
  Map<RowDifference, String> conflicting() {
    return conflicting;
  }

  /** Rows that were skipped because other sessions on the target hold locks on them. */
  List<RowDifference> inOthersHands() {
    return inOthersHands;
  }

  /** Why rows were skipped for another reason than these; empty if none were. */
  Optional<String> why() {
    return why;
  }
}
