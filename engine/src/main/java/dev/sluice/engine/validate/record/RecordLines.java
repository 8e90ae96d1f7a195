package dev.sluice.engine.validate.record;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.ChunkBounds;
import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.ComparedValue;
import dev.sluice.connector.api.comparison.KeyBuckets;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.RowHash;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.session.ChunkProof;
import dev.sluice.engine.validate.session.Recheck;
import dev.sluice.engine.validate.session.RowDifference;
import dev.sluice.engine.validate.session.SessionFindings.Proof;
import dev.sluice.engine.validate.session.TableFindings;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The lines of a record. Those for people are comments; the others have a name. Stateless. */
final class RecordLines {
  /** More keys are named by their number and digest. */
  private static final int MOST_KEYS = 1_000;

  private static final ObjectMapper JSON = new ObjectMapper();

  private RecordLines() {}

  /** Lines as comments. */
  static String comment(String lines) {
    return lines
        .lines()
        .map(line -> line.isEmpty() ? "#\n" : "# " + line + "\n")
        .collect(Collectors.joining());
  }

  private static String oneLine(String text) {
    return text.replace('\n', ' ').replace('\r', ' ');
  }

  /** What the pass says of a table. */
  static String table(PassTable table, Optional<Recheck> how) {
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add("table %s, on the target %s".formatted(table.table(), table.target()));
    lines.add("  verdict: " + table.verdict());
    table.rows().ifPresent(rows -> lines.add("  rows compared: %d".formatted(rows)));
    lines.add("  key: " + (table.key().isEmpty() ? "none" : String.join(", ", table.key())));
    how.ifPresent(
        read -> {
          lines.add("  compared: " + columns(read));
          read.source()
              .condition()
              .ifPresent(only -> lines.add("  only rows of the source: " + only));
        });
    lines.add(
        "  not compared: "
            + (table.notCompared().isEmpty() ? "nothing" : String.join(", ", table.notCompared())));
    if (table.key().isEmpty()) {
      if (!table.differing().isEmpty()) {
        lines.add("  differing rows, without a key: %d".formatted(table.differing().size()));
      }
    } else {
      table
          .differing()
          .forEach(
              row ->
                  lines.add(
                      "  %s %s %s"
                          .formatted(
                              row.confirmed() ? "differs:" : "pending:", row.kind(), row.key())));
    }
    return comment(
        lines.stream().map(RecordLines::oneLine).collect(Collectors.joining("\n", "", "\n")));
  }

  private static String columns(Recheck how) {
    return IntStream.range(0, how.source().values().size())
        .mapToObj(i -> column(how.source().values().get(i), how.target().values().get(i)))
        .collect(Collectors.joining(", "));
  }

  private static String column(ComparedValue source, ComparedValue target) {
    String name =
        source.column().equals(target.column())
            ? source.column()
            : source.column() + " with " + target.column();
    String cut =
        source.cut().types().containsKey(source.column())
            ? " (its first %d)".formatted(source.cut().limit())
            : "";
    return name + cut + source.as().map(type -> " (as " + type + ")").orElse("");
  }

  /** What a session found in a table. */
  static String session(TableFindings table, Proof proof, Instant at, boolean keyed) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "session of %s: source's log at %s, snapshot %s; %s"
            .formatted(
                at,
                proof.source(),
                proof.visibleTransactions(),
                proof.target().equals(Position.ZERO)
                    ? "target as it was"
                    : "target's checkpoint at " + proof.target()));
    RowHash hash = proof.hash();
    lines.add(
        "  hash %s of the row's text in %s, seeds %d and %d"
            .formatted(hash.function(), hash.form(), hash.seeds().first(), hash.seeds().second()));
    List<RowKey> leftOut =
        table.chunks().stream()
            .findFirst()
            .flatMap(ChunkProof::recheck)
            .map(Recheck::source)
            .map(ComparedRows::leftOut)
            .orElse(List.of());
    keys("left out of the parts, changed meanwhile", leftOut).ifPresent(lines::add);
    keys("compared by their keys, equal or on neither side", table.equalKeys())
        .ifPresent(lines::add);
    if (keyed) {
      keys(
              "different in this session",
              table.differences().stream().map(RowDifference::key).toList())
          .ifPresent(lines::add);
    }
    keys("to be compared by their keys, and changed again meanwhile", table.hotKeys())
        .ifPresent(lines::add);
    table.notes().forEach(lines::add);
    return comment(
        lines.stream().map(RecordLines::oneLine).collect(Collectors.joining("\n", "", "\n")));
  }

  private static Optional<String> keys(String what, List<RowKey> keys) {
    if (keys.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        "  %s: %d: %s"
            .formatted(
                what,
                keys.size(),
                keys.size() > MOST_KEYS
                    ? "SHA-256 of their lines " + digest(keys)
                    : keys.stream().map(RecordLines::key).collect(Collectors.joining(" "))));
  }

  private static String digest(List<RowKey> keys) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      keys.forEach(key -> digest.update((key(key) + "\n").getBytes(StandardCharsets.UTF_8)));
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("BUG: no SHA-256", e);
    }
  }

  private static String key(RowKey key) {
    try {
      return JSON.writeValueAsString(key.values());
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("BUG: a key is no JSON", e);
    }
  }

  /** A part of a table. */
  static String part(int number, ChunkProof chunk) {
    StringBuilder text =
        new StringBuilder(comment("part %d: %s".formatted(number, bounds(chunk.bounds()))));
    Optional<Recheck.Statements> statements = chunk.recheck().flatMap(Recheck::statements);
    if (statements.isEmpty()) {
      return text.append(
              comment(
                  "  %s; source %s, target %s; no statement: too many rows, or a line break in a name"
                      .formatted(
                          chunk.isEqual() ? "equal" : "UNEQUAL",
                          sums(chunk.source()),
                          sums(chunk.target()))))
          .toString();
    }
    if (chunk.isEqual()) {
      text.append("expected: %d|%s\n".formatted(number, sums(chunk.source())));
    } else {
      text.append(comment("  UNEQUAL"));
      text.append("expected-source: %d|%s\n".formatted(number, sums(chunk.source())));
      text.append("expected-target: %d|%s\n".formatted(number, sums(chunk.target())));
    }
    return text.append(statement("source", number, statements.get().source()))
        .append(statement("target", number, statements.get().target()))
        .toString();
  }

  private static String statement(String side, int number, String sql) {
    return "%s: SELECT %d, s.* FROM (%s) s;\n".formatted(side, number, sql);
  }

  private static String bounds(ChunkBounds bounds) {
    if (bounds instanceof KeyRange range) {
      return "keys %s %s"
          .formatted(
              range.after().map(key -> "after " + key(key)).orElse("from the first"),
              range.upTo().map(key -> "up to " + key(key)).orElse("to the last"));
    }
    if (bounds instanceof KeyBuckets buckets) {
      return "keys whose hash is in bucket %d to %d of %d"
          .formatted(buckets.first(), buckets.last(), buckets.of());
    }
    return "all rows";
  }

  /** As psql prints the statement's result. */
  private static String sums(ChunkSums sums) {
    return sums.rows() == 0 ? "0||" : sums.rows() + "|" + sums.first() + "|" + sums.second();
  }
}
