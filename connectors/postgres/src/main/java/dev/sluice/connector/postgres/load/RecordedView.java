package dev.sluice.connector.postgres.load;

import java.util.List;

/**
 * What a view shows, as it was before the snapshot was taken. Immutable.
 *
 * @param definitions another text for each other query, of the view and of the views under it
 * @param files of the tables and materialized views from which its rows come; TRUNCATE and
 *     rewriting commands change them, and their rows are then no more to be had from a snapshot.
 *     Those that a function reads are not among them
 */
public record RecordedView(List<String> definitions, List<String> files) {
  public RecordedView {
    definitions = List.copyOf(definitions);
    files = List.copyOf(files);
  }
}
