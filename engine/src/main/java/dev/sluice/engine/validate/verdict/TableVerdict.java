package dev.sluice.engine.validate.verdict;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.ChunkBounds;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.session.ChunkProof;
import dev.sluice.engine.validate.session.RowDifference;
import dev.sluice.engine.validate.session.RowDifference.Image;
import dev.sluice.engine.validate.session.SessionFindings.Proof;
import dev.sluice.engine.validate.session.TableFindings;
import dev.sluice.engine.validate.session.TableFindings.End;
import dev.sluice.sink.control.validation.FailureKind;
import dev.sluice.sink.control.validation.RowFailure;
import dev.sluice.sink.control.validation.RowFailure.ReadAt;
import dev.sluice.sink.control.validation.TableCoverage;
import dev.sluice.sink.control.validation.ValidationStore.Outcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What a session's findings mean for the coverage of a table and for the rows that are listed as
 * different. Pure.
 *
 * @param target the table's name on the target
 * @param key its key's columns on the source; empty if it has none
 * @param before the coverage before the session
 * @param listed the rows that were listed before
 */
public record TableVerdict(
    TableId target, List<String> key, TableCoverage before, List<RowFailure> listed) {

  /**
   * What to store.
   *
   * @param found in a table whose comparison counts
   */
  public Outcome of(TableFindings found, Proof proof, Instant now) {
    return new Outcome(coverage(found, proof, now), failures(found, proof, now), equal(found));
  }

  private TableCoverage coverage(TableFindings found, Proof proof, Instant now) {
    if (found.end() == End.VOID) {
      return before.withoutPass();
    }
    long rows = 0;
    Optional<ChunkBounds> last = Optional.empty();
    for (ChunkProof chunk : found.chunks()) {
      if (!chunk.isEqual() && !chunk.resolved()) {
        break;
      }
      rows += chunk.source().rows();
      last = Optional.of(chunk.bounds());
      if (chunk.bounds() instanceof KeyRange range && range.upTo().isEmpty()) {
        return before.read(proof.source(), rows, Optional.empty(), now);
      }
    }
    if (last.isEmpty()) {
      return before;
    }
    if (last.get() instanceof KeyRange range) {
      return before.read(proof.source(), rows, range.upTo().map(RowText::mark), now);
    }
    // Buckets have no order in which another session could continue.
    return found.end() == End.DONE && isResolved(found)
        ? before.withoutPass().read(proof.source(), rows, Optional.empty(), now)
        : before;
  }

  private static boolean isResolved(TableFindings found) {
    return found.chunks().stream().allMatch(chunk -> chunk.isEqual() || chunk.resolved());
  }

  private List<RowFailure> failures(TableFindings found, Proof proof, Instant now) {
    if (found.end() == End.VOID) {
      return List.of();
    }
    Map<String, RowFailure> known =
        listed.stream().collect(Collectors.toMap(RowFailure::key, Function.identity()));
    List<RowFailure> all = new ArrayList<>();
    Set<String> keys = new HashSet<>();
    Map<String, Integer> copies = copies(found);
    for (RowDifference difference : found.differences()) {
      RowFailure failure = failure(found, difference, copies, proof);
      if (keys.add(failure.key())) {
        all.add(Optional.ofNullable(known.get(failure.key())).map(failure::after).orElse(failure));
      }
    }
    for (RowKey hot : found.hotKeys()) {
      RowFailure again = known.get(keyText(hot));
      if (again != null && keys.add(again.key())) {
        all.add(again.changingSince(now));
      }
    }
    return all;
  }

  private List<String> equal(TableFindings found) {
    if (found.end() == End.VOID) {
      return List.of();
    }
    if (!key.isEmpty()) {
      return found.equalKeys().stream().map(this::keyText).toList();
    }
    Set<String> different =
        found.differences().stream()
            .map(difference -> keyText(found, difference))
            .collect(Collectors.toSet());
    return found.end() == End.DONE && isResolved(found)
        ? listed.stream().map(RowFailure::key).filter(text -> !different.contains(text)).toList()
        : List.of();
  }

  /** How many equal rows of a table without a key are missing or extra, by their key's text. */
  private Map<String, Integer> copies(TableFindings found) {
    Map<String, Integer> copies = new HashMap<>();
    if (key.isEmpty()) {
      found.differences().forEach(row -> copies.merge(keyText(found, row), 1, Integer::sum));
    }
    return copies;
  }

  private RowFailure failure(
      TableFindings found, RowDifference difference, Map<String, Integer> copies, Proof proof) {
    String text = keyText(found, difference);
    Optional<List<String>> source = difference.source().map(Image::values);
    Optional<List<String>> onTarget = difference.target().map(Image::values);
    return new RowFailure(
        found.table(),
        target,
        switch (difference.kind()) {
          case DIFFERENT -> FailureKind.RECORD_DIFF;
          case MISSING -> FailureKind.MISSING_TARGET;
          case EXTRA -> FailureKind.MISSING_SOURCE;
        },
        text,
        source.map(values -> RowText.of(found.columns(), values)),
        onTarget.map(values -> RowText.of(found.columns(), values)),
        source.isPresent() && onTarget.isPresent()
            ? RowText.differing(found.columns(), source.get(), onTarget.get())
            : Optional.ofNullable(copies.get(text)).map(RowText::copies).orElse("{}"),
        new ReadAt(proof.source(), proof.target()),
        1,
        Optional.empty(),
        Optional.empty());
  }

  private String keyText(TableFindings found, RowDifference difference) {
    if (!key.isEmpty()) {
      return keyText(difference.key());
    }
    List<String> values =
        difference.source().or(difference::target).map(Image::values).orElseThrow();
    return RowText.of(found.columns(), values);
  }

  private String keyText(RowKey values) {
    return RowText.of(key, values.values());
  }
}
