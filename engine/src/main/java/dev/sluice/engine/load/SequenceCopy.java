package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.connector.api.source.load.SequenceReading;
import dev.sluice.connector.api.source.load.SourceReader;
import dev.sluice.load.SequenceWriter;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.load.target.TargetSequence;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets the target's sequences to the source's values. Can be repeated: a target sequence is never
 * set back, unless nobody uses it yet. Stateless; called by one thread.
 */
public final class SequenceCopy {
  private static final Logger LOG = LoggerFactory.getLogger(SequenceCopy.class);

  private SequenceCopy() {}

  /**
   * The result of a copy.
   *
   * @param set the source sequences whose target sequence is now at least as high
   * @param notSet one problem for each sequence that could not be read or set
   */
  public record Result(List<SequenceState> set, List<Problem> notSet) {
    public Result {
      set = List.copyOf(set);
      notSet = List.copyOf(notSet);
    }
  }

  /**
   * Copies the sequences that the tables' columns own or use as default, and those of the tables'
   * schemas that no column owns. The values are durable when this returns.
   *
   * @param mappings the names of tables, sequences and columns on the target
   */
  public static Result copy(
      SourceReader source, TargetServer target, List<TableId> tables, TableMappings mappings) {
    return copy(reading(source, tables, mappings), source, target, mappings);
  }

  /**
   * The same with values that were read before.
   *
   * @param source where, for messages
   */
  public static Result copy(
      SequenceReading reading, SourceReader source, TargetServer target, TableMappings mappings) {
    Result result = run(reading, source, target, mappings, Optional.of(SequenceWriter::set));
    LOG.info(
        "sequences set on the target: {}, not set: {}",
        result.set().size(),
        result.notSet().size());
    return result;
  }

  /**
   * What happens before the first sequence is set on a target that keeps numbers. What it throws
   * keeps all of them from being set.
   */
  @FunctionalInterface
  public interface BeforeSetting {
    /**
     * @param values that are to be set
     * @param found what is there
     */
    void check(List<SequenceState> values, List<ComparedSequence> found);
  }

  /**
   * The same while nobody uses the target: a sequence that cycles is set back where it has begun
   * again.
   */
  public static Result copyExactly(
      SourceReader source,
      TargetServer target,
      List<TableId> tables,
      TableMappings mappings,
      BeforeSetting before) {
    SequenceReading reading = reading(source, tables, mappings);
    if (LoadDialects.of(target.dialect()).sequences().keepsNumbers()) {
      before.check(reading.states(), ComparedSequence.among(reading.states(), target, mappings));
    }
    return run(
        reading,
        source,
        target,
        mappings,
        Optional.of(
            (writer, found, state) -> {
              if (found.form().cycles()) {
                writer.setExactly(found, state);
              } else {
                writer.set(found, state);
              }
            }));
  }

  /**
   * Does the same as {@link #copy}, with values that are further ahead.
   *
   * @param values how many values further
   */
  public static Result ahead(
      SourceReader source,
      TargetServer target,
      List<TableId> tables,
      TableMappings mappings,
      long values) {
    return run(
        reading(source, tables, mappings),
        source,
        target,
        mappings,
        Optional.of((writer, found, state) -> writer.set(found, found.further(state, values))));
  }

  /** Finds what {@link #copy} could not set; sets nothing. */
  public static List<Problem> problems(
      SourceReader source, TargetServer target, List<TableId> tables, TableMappings mappings) {
    return run(reading(source, tables, mappings), source, target, mappings, Optional.empty())
        .notSet();
  }

  /** How a sequence of the target is set. */
  private interface Setting {
    void set(SequenceWriter writer, TargetSequence found, SequenceState state);
  }

  private static Result run(
      SequenceReading reading,
      SourceReader source,
      TargetServer target,
      TableMappings mappings,
      Optional<Setting> setting) {
    List<SequenceState> done = new ArrayList<>();
    List<Problem> problems = new ArrayList<>();
    reading
        .unreadable()
        .forEach(sequence -> problems.add(SequenceProblems.unreadable(sequence, source)));
    SequenceProblems check = new SequenceProblems(LoadDialects.of(target.dialect()).sequences());
    try (TargetConnection connection = target.borrow()) {
      SequenceWriter writer =
          new SequenceWriter(connection, mappings::targetOf, mappings.columns());
      for (SequenceState state : reading.states()) {
        Optional<TargetSequence> found = writer.find(state);
        if (found.isEmpty() && isOfLeftOutColumn(state, mappings)) {
          continue;
        }
        Optional<Problem> problem = check.of(state, found, mappings.targetOf(state.sequence()));
        if (problem.isPresent()) {
          problems.add(problem.get());
        } else if (setting.isPresent()) {
          setting.get().set(writer, found.get(), state);
          done.add(state);
        }
      }
      writer.commit();
    }
    return new Result(done, problems);
  }

  private static boolean isOfLeftOutColumn(SequenceState state, TableMappings mappings) {
    return state
        .use()
        .filter(use -> mappings.columns().of(use.table(), use.column()).isEmpty())
        .isPresent();
  }

  /** The source's values of the sequences that {@link #copy} sets. */
  public static List<SequenceState> states(
      SourceReader source, List<TableId> tables, TableMappings mappings) {
    return reading(source, tables, mappings).states();
  }

  /** The sequences that {@link #copy} considers, also those that cannot be read. */
  public static SequenceReading reading(
      SourceReader source, List<TableId> tables, TableMappings mappings) {
    Set<String> schemas = tables.stream().map(TableId::schema).collect(Collectors.toSet());
    Predicate<TableId> selected =
        sequence -> schemas.contains(sequence.schema()) || mappings.selects(sequence);
    return source.sequences(tables, selected);
  }

  /** The target's tables that stand for sequences; empty if it has sequences of its own. */
  public static List<TableId> standIns(
      SourceReader source, TargetServer target, List<TableId> tables, TableMappings mappings) {
    if (!LoadDialects.of(target.dialect()).sequences().areTables()) {
      return List.of();
    }
    try (TargetConnection connection = target.borrow()) {
      SequenceWriter writer =
          new SequenceWriter(connection, mappings::targetOf, mappings.columns());
      return states(source, tables, mappings).stream()
          .flatMap(state -> writer.find(state).stream())
          .map(TargetSequence::name)
          .toList();
    }
  }
}
