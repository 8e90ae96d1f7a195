package dev.sluice.connect.envelope;

import dev.sluice.connector.api.Position;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The sequence in an event's source block: Debezium writes {@code ["last commit","event"]}, both as
 * numbers, the first one maybe null. Stateless.
 */
final class SourceSequence {
  private static final Pattern FORM =
      Pattern.compile("\\[\\s*(?:null|\"(\\d+)\")\\s*,\\s*(?:null|\"\\d+\")\\s*]");

  private SourceSequence() {}

  /** The last commit before the event's transaction, zero if it is null; empty for another form. */
  static Optional<Position> lastCommit(String sequence) {
    // Without spaces, as it is written, it is read by hand: each event has one.
    int end = sequence.indexOf("\",\"");
    if (end > 2
        && sequence.startsWith("[\"")
        && sequence.endsWith("\"]")
        && areDigits(sequence, 2, end)
        && areDigits(sequence, end + 3, sequence.length() - 2)) {
      return Optional.of(new Position(Long.parseUnsignedLong(sequence, 2, end, 10)));
    }
    Matcher matcher = FORM.matcher(sequence);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    String commit = matcher.group(1);
    return Optional.of(
        commit == null ? Position.ZERO : new Position(Long.parseUnsignedLong(commit)));
  }

  private static boolean areDigits(String text, int from, int to) {
    for (int i = from; i < to; i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return from < to;
  }
}
