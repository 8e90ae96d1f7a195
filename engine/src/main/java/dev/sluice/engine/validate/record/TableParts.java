package dev.sluice.engine.validate.record;

import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.session.ChunkProof;
import dev.sluice.engine.validate.session.Recheck;
import dev.sluice.engine.validate.session.TableFindings;
import dev.sluice.engine.validate.session.TableFindings.End;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;

/**
 * The recorded parts of one table, in files: those of the last complete reading, and those of the
 * one that is in progress. Parts of a void reading are deleted. Owned by the record's thread.
 */
final class TableParts {
  private final Path complete;
  private final Path running;
  private boolean reading;

  /** Where the reading in progress continues. */
  private Optional<RowKey> next = Optional.empty();

  private long rows;
  private Optional<Long> completeRows = Optional.empty();
  private Optional<Recheck> how = Optional.empty();

  TableParts(Path folder, int number) {
    this.complete = folder.resolve(number + ".complete");
    this.running = folder.resolve(number + ".running");
  }

  /** Deletes the parts that were read before. */
  void forget() throws IOException {
    reading = false;
    Files.deleteIfExists(running);
  }

  /**
   * Adds what a session found.
   *
   * @param head of the session
   * @param numbers gives a part its number
   */
  void add(TableFindings found, String head, ToIntFunction<ChunkProof> numbers) throws IOException {
    List<ChunkProof> chunks = counting(found);
    if (!chunks.isEmpty() && begins(chunks.get(0))) {
      forget();
      reading = true;
      rows = 0;
      next = Optional.empty();
    }
    if (chunks.isEmpty() || !reading || !continues(chunks.get(0))) {
      if (!found.equalKeys().isEmpty() || !found.differences().isEmpty()) {
        note(head);
      }
      return;
    }
    append(running, head);
    for (ChunkProof chunk : chunks) {
      append(running, RecordLines.part(numbers.applyAsInt(chunk), chunk));
      rows += chunk.source().rows();
      next = chunk.bounds() instanceof KeyRange range ? range.upTo() : Optional.empty();
      how = chunk.recheck().or(() -> how);
    }
    if (next.isEmpty()) {
      Files.move(running, complete, StandardCopyOption.REPLACE_EXISTING);
      completeRows = Optional.of(rows);
      reading = false;
    }
  }

  /** Single rows that were compared belong to both readings. */
  private void note(String head) throws IOException {
    if (reading) {
      append(running, head);
    }
    if (completeRows.isPresent()) {
      append(complete, head);
    }
  }

  private static boolean begins(ChunkProof chunk) {
    return !(chunk.bounds() instanceof KeyRange range) || range.after().isEmpty();
  }

  private boolean continues(ChunkProof chunk) {
    return !(chunk.bounds() instanceof KeyRange range) || range.after().equals(next);
  }

  /** The valid chunks, which the next session does not read again. */
  private static List<ChunkProof> counting(TableFindings found) {
    List<ChunkProof> counting = new ArrayList<>();
    for (ChunkProof chunk : found.chunks()) {
      if (!chunk.isEqual() && !chunk.resolved()) {
        return chunk.bounds() instanceof KeyRange ? counting : List.of();
      }
      counting.add(chunk);
      if (chunk.bounds() instanceof KeyRange range && range.upTo().isEmpty()) {
        return counting;
      }
    }
    boolean ranges = counting.stream().allMatch(chunk -> chunk.bounds() instanceof KeyRange);
    return ranges || found.end() == End.DONE ? counting : List.of();
  }

  private static void append(Path file, String text) throws IOException {
    Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** The rows of the last complete reading; empty without one. */
  Optional<Long> rows() {
    return completeRows;
  }

  /** How the rows were read. */
  Optional<Recheck> how() {
    return how;
  }

  /** The file with the last complete reading. */
  Path complete() {
    return complete;
  }
}
