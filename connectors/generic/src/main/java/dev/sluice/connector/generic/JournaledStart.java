package dev.sluice.connector.generic;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.journal.Journal;
import java.util.Optional;

/** Where a connector goes on after what target or journal have. Stateless. */
final class JournaledStart {
  private JournaledStart() {}

  /**
   * The bookmark of a position.
   *
   * @param position the last one that target or journal have; zero before the first transaction
   * @return empty if the connector has to begin
   * @throws SluiceException.Fatal if the journal does not have it: the connector would begin at the
   *     present, and skip what is between
   */
  static Optional<Bookmark> of(Journal journal, Position position) {
    if (position.equals(Position.ZERO)) {
      return Optional.empty();
    }
    Optional<String> text = journal.bookmarkOf(position);
    if (text.isEmpty()) {
      throw new SluiceException.Fatal(
          new Problem(
              "the journal",
              "it does not have Debezium's offset after transaction " + position,
              "the record with the end of the last applied transaction",
              "If the topic was deleted or restored, load the tables again: sluice stop --drop"
                  + " removes the task, and the next run loads them"));
    }
    return text.map(Bookmark::parse);
  }
}
