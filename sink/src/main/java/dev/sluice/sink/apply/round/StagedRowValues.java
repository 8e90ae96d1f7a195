package dev.sluice.sink.apply.round;

import dev.sluice.connector.api.Row;
import dev.sluice.sink.window.compaction.NetChange;
import dev.sluice.sink.window.compaction.TableChanges.Copies;
import java.util.List;

/** The rows of a staged set, by index. Immutable. */
interface StagedRowValues {

  int size();

  /** The values that match the row; null if it has none. */
  Row match(int index);

  /** The values of the row; null if it has none. */
  Row row(int index);

  /** The number of copies of the row. */
  long copies(int index);

  static StagedRowValues ofChanges(List<NetChange> changes) {
    return new StagedRowValues() {
      @Override
      public int size() {
        return changes.size();
      }

      @Override
      public Row match(int index) {
        return changes.get(index).match();
      }

      @Override
      public Row row(int index) {
        return changes.get(index).row();
      }

      @Override
      public long copies(int index) {
        return 1;
      }
    };
  }

  static StagedRowValues ofCopies(List<Copies> copies) {
    return new StagedRowValues() {
      @Override
      public int size() {
        return copies.size();
      }

      @Override
      public Row match(int index) {
        return null;
      }

      @Override
      public Row row(int index) {
        return copies.get(index).row();
      }

      @Override
      public long copies(int index) {
        return copies.get(index).copies();
      }
    };
  }

  /** Rows that are only matched. */
  static StagedRowValues ofMatches(List<Row> matches) {
    return new StagedRowValues() {
      @Override
      public int size() {
        return matches.size();
      }

      @Override
      public Row match(int index) {
        return matches.get(index);
      }

      @Override
      public Row row(int index) {
        return null;
      }

      @Override
      public long copies(int index) {
        return 1;
      }
    };
  }
}
