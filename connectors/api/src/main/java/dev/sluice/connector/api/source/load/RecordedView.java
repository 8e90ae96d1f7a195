package dev.sluice.connector.api.source.load;

import java.util.List;

/**
 * What a view reads, as it was before the snapshot was taken. Immutable.
 *
 * @param definitions the queries of the view and of the views under it, as text for comparison
 * @param files of the tables and materialized views that it reads. TRUNCATE and rewriting commands
 *     change them; the snapshot no longer shows their rows then. Tables that a function reads are
 *     not included
 */
public record RecordedView(List<String> definitions, List<String> files) {
  public RecordedView {
    definitions = List.copyOf(definitions);
    files = List.copyOf(files);
  }
}
