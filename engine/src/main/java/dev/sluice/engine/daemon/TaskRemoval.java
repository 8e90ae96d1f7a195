package dev.sluice.engine.daemon;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.api.source.CapturedTables;
import dev.sluice.connector.api.source.DdlReporting;
import dev.sluice.connector.api.source.OldRowLogging;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.connector.journal.Journal;
import dev.sluice.engine.capture.TaskRetention;
import dev.sluice.engine.check.OwnershipChecks;
import dev.sluice.engine.context.DataDirectoryVersion;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.engine.cutover.CutoverRemoval;
import dev.sluice.engine.fallback.ForwardTask;
import dev.sluice.engine.journal.JournalBroker;
import dev.sluice.load.MadeTables;
import dev.sluice.load.MarkedTables;
import dev.sluice.sink.control.task.DaemonPresence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes what a task created outside its target tables: slot, event triggers, publication, journal
 * and control rows. Can be repeated. Used by one thread, which holds the task's lock.
 */
public final class TaskRemoval {
  private static final Logger LOG = LoggerFactory.getLogger(TaskRemoval.class);

  private final TaskContext context;
  private final List<String> removed = new ArrayList<>();

  private TaskRemoval(TaskContext context) {
    this.context = context;
  }

  public static TaskRemoval of(TaskConfig config) {
    return new TaskRemoval(TaskContext.of(config));
  }

  static TaskRemoval of(TaskContext context) {
    return new TaskRemoval(context);
  }

  /**
   * Removes everything that is the task's own. After a failure the other parts are still removed,
   * except the control rows, which record the task's ownership.
   *
   * @param held the task's lock: no daemon works with what is removed
   * @return a line for each part
   * @throws SluiceException the first failure, with the others suppressed; if the source is not the
   *     task's, nothing is removed
   */
  public List<String> remove(TaskLock held) {
    return remove(held, false);
  }

  /**
   * The same.
   *
   * @param reopens whether the source's tables take writes again after it, so that a cutover that
   *     is decided need not end
   */
  public List<String> remove(TaskLock held, boolean reopens) {
    LOG.info("process {} removes task {}", held.pid(), context.task());
    DaemonPresence alone = requireAlone();
    try {
      requireItsSource();
      List<SluiceException> failures = new ArrayList<>();
      // First, so that nothing that only the source knows is lost, and no writer stays blocked.
      removed.addAll(CutoverRemoval.of(context).settle(reopens));
      removeFromSource(failures);
      return removeRest(failures);
    } finally {
      alone.close();
    }
  }

  /**
   * Removes a task whose source no longer exists: nothing is removed there.
   *
   * @param held the task's lock
   * @return a line for each part
   * @throws SluiceException if the target does not answer; nothing is removed then
   */
  public List<String> removeWithoutSource(TaskLock held) {
    LOG.info("process {} removes task {}, whose source is gone", held.pid(), context.task());
    DaemonPresence alone = requireAlone();
    try {
      // If the target does not answer, the journal may be needed: it may have the last copy of
      // changes.
      context.ownership().read();
      removed.addAll(CutoverRemoval.of(context).settleWithoutSource());
      return removeRest(new ArrayList<>());
    } finally {
      alone.close();
    }
  }

  private DaemonPresence requireAlone() {
    return NoDaemon.require(
        context,
        "no daemon of the task whose "
            + context.source().retention().kind()
            + " and progress are to be removed",
        "If only this copy of its task file is no longer needed, delete the copy. To remove the"
            + " task itself, run the command with the task file that names that data-dir."
            + " If that host is gone, its session on the target "
            + context.target().dialect().sessions().endWithoutHost());
  }

  /**
   * Requires that the source is the task's: objects with the task's names on another source belong
   * to somebody else, and its cutovers decide nothing. If the source does not answer, each part
   * fails by itself.
   */
  private void requireItsSource() {
    Optional<Problem> other = Optional.empty();
    try {
      other = new OwnershipChecks(context).otherSource();
    } catch (SluiceException e) {
      LOG.warn("whether the source is the task's is not known: {}", e.getMessage());
    }
    if (other.isPresent()) {
      Problem problem = other.get();
      throw new SluiceException.Fatal(
          new Problem(
              problem.thing(),
              problem.found(),
              problem.expected(),
              "Nothing is removed. " + problem.fix()));
    }
  }

  private void removeFromSource(List<SluiceException> failures) {
    attempt(failures, context.source().retention().kind(), new TaskRetention(context)::drop);
    Map<TableId, String> identities = new TreeMap<>();
    try {
      identities.putAll(identitiesGiven());
    } catch (SluiceException e) {
      failures.add(e);
    }
    DdlReporting ddl = context.source().ddlReporting();
    attempt(failures, ddl.kind(), ddl::remove);
    CapturedTables captured = context.source().capturedTables();
    attempt(failures, captured.kind(), captured::drop);
    attempt(failures, context.source().oldRowLogging().kind(), () -> giveBack(identities));
    attempt(
        failures,
        "what cutovers have left on the source that were given up",
        () -> context.source().writers().map(WriterStop::tidy).orElse(false));
    // The source of a way back is the new side, whose state is known.
    ForwardTask.of(context.config())
        .ifPresent(
            forward ->
                attempt(
                    failures, "state of the way back of task " + forward.task(), forward::forget));
  }

  private List<String> removeRest(List<SluiceException> failures) {
    attempt(failures, "journal", this::dropJournal);
    // Last, and only when all else is removed: they record what the task owns.
    if (failures.isEmpty() && MadeTables.areOf(context.target().dialect())) {
      attempt(failures, "the task's mark on tables of the target", this::giveUpTables);
    }
    if (failures.isEmpty()) {
      attempt(failures, "control rows on the target", this::dropControlRows);
    }
    if (!failures.isEmpty()) {
      SluiceException first = failures.remove(0);
      failures.forEach(first::addSuppressed);
      throw first;
    }
    return removed;
  }

  private void attempt(List<SluiceException> failures, String what, BooleanSupplier removal) {
    try {
      String line = (removal.getAsBoolean() ? "removed: " : "none: ") + what;
      removed.add(line);
      LOG.info("{}", line);
    } catch (SluiceException e) {
      LOG.error("not removed: {}: {}", what, e.getMessage());
      failures.add(e);
    }
  }

  /**
   * Removes the marks from tables. A table in use keeps its mark; the outcome names the statement
   * that removes it.
   */
  private boolean giveUpTables() {
    MarkedTables.GivenUp tables =
        MarkedTables.on(context.target(), context.rowGuard(table -> false)).orElseThrow().giveUp();
    if (!tables.left().isEmpty()) {
      removed.add(
          "kept, since the server refused it: the task's mark on tables of the target; take it off: "
              + String.join("; ", tables.left()));
    }
    return tables.any();
  }

  /** Removes the control rows. The record of a cutover stays, in a separate schema. */
  private boolean dropControlRows() {
    boolean any = context.checkpoints().drop(context.task());
    context.checkpoints().removeUnused();
    DataDirectoryVersion.forget(context.config().dataDir());
    return any;
  }

  /**
   * Reads which tables' logging of old rows the task has changed, before the records of it are
   * removed.
   */
  private Map<TableId, String> identitiesGiven() {
    Map<TableId, String> given = new TreeMap<>(context.source().oldRowLogging().changedBySource());
    given.putAll(context.identityNotes().read(context.task()));
    return given;
  }

  /**
   * Restores it once the tables are no longer captured, since the capture may need the changed
   * logging.
   */
  private boolean giveBack(Map<TableId, String> before) {
    OldRowLogging logging = context.source().oldRowLogging();
    OldRowLogging.Outcome outcome = logging.restore(before);
    if (!outcome.left().isEmpty()) {
      removed.add(
          "kept, since %s: %s of %s".formatted(logging.whyLeft(), logging.kind(), outcome.left()));
    }
    return !outcome.back().isEmpty();
  }

  private boolean dropJournal() {
    if (context.config().kafka().isPresent()) {
      JournalBroker cluster =
          JournalBroker.open(context.config().kafka(), context.config().dataDir());
      try (Journal journal = new Journal(cluster.client(), context.topics())) {
        Optional<Problem> anothers = journal.anothers(context.ownership().mark().id().toString());
        anothers.ifPresent(problem -> LOG.info("the topics are kept: {}", problem));
        return anothers.isEmpty() && journal.drop();
      }
    } else {
      return deleteTree(JournalBroker.directory(context.config().dataDir()));
    }
  }

  private static boolean deleteTree(Path directory) {
    if (!Files.exists(directory)) {
      return false;
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
      return true;
    } catch (IOException e) {
      throw new SluiceException.Fatal(
          "the journal in " + directory + " cannot be deleted: " + e, e);
    }
  }
}
