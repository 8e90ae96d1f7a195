package dev.sluice.sink.apply;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.apply.isolation.LaneSuspensions;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.apply.plan.SourceShapes;
import dev.sluice.sink.control.position.CheckpointRows;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.ApplyStage;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.StageTimes;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits what is done for a window together with the checkpoint, each window exactly once. Owned
 * by the apply thread.
 *
 * <p>Only the checkpoint row says whether a window was applied. An unanswered COMMIT is therefore
 * handled like a repeated call.
 */
final class ExactlyOnceWindows {
  private static final Logger LOG = LoggerFactory.getLogger(ExactlyOnceWindows.class);

  private final WindowTransactions transactions;
  private final CheckpointRows checkpoint;
  private final OtherLanes others;
  private final StageTimes stages;
  private final LaneSuspensions suspensions;
  private final SourceShapes sources;

  /** Tables that another lane has applied, as long as the session may have old plans of them. */
  private final Set<TableId> joined = new TreeSet<>();

  /** The window whose COMMIT was sent and not answered yet; null if there is none. */
  private ClosedWindow committing;

  /** The result of that window. */
  private AppliedWindow committed;

  ExactlyOnceWindows(
      WindowTransactions transactions,
      CheckpointRows checkpoint,
      OtherLanes others,
      StageTimes stages,
      LaneSuspensions suspensions,
      SourceShapes sources) {
    this.transactions = transactions;
    this.checkpoint = checkpoint;
    this.others = others;
    this.stages = stages;
    this.suspensions = suspensions;
    this.sources = sources;
  }

  /** What is done for a window. An empty result means: roll back and try again. */
  interface Work {

    /**
     * @param before the checkpoint's journal offset, where the window begins
     */
    Optional<AppliedWindow> run(ApplySession session, JournalOffset before) throws SQLException;
  }

  /**
   * Does the work of a window, unless the target has the window already.
   *
   * @return the result of the work; if it is empty, nothing was committed
   * @throws SluiceException.Rewound if the checkpoint is not where the window begins
   * @throws SluiceException if the work fails; the transaction is rolled back then
   */
  Optional<AppliedWindow> run(ClosedWindow window, Work work) {
    boolean isForAll = others.areConcernedBy(window);
    transactions.cacheStatements(window.tuning().statementCacheSize());
    return transactions.run(
        "apply the window up to " + window.position(),
        (current, before) -> {
          if (isForAll) {
            others.lock(current.connection());
          }
          if (current.isNew() || suspensions.hasChanges() || isForAll) {
            // An unanswered COMMIT, another lane or a command may have suspended tables.
            readSuspended(current);
          }
          if (window == committing && before.equals(window.place())) {
            LOG.info("window up to {} is already on the target", window.position());
            transactions.rollBack(current);
            return Optional.of(committed);
          }
          requireStart(window, before);
          committing = null;
          current.begin(window.tuning());
          current.deferConstraints();
          Optional<AppliedWindow> result = work.run(current, before);
          if (result.isEmpty()) {
            transactions.rollBack(current);
            return result;
          }
          current.checkConstraints();
          sources.write(current);
          if (isForAll) {
            others.advance(current.connection(), before, window.place());
          }
          checkpoint.advance(current.connection(), window.place());
          committing = window;
          committed = result.get();
          stages.enter(ApplyStage.COMMIT);
          transactions.commit(current, window.position());
          committing = null;
          return result;
        });
  }

  /**
   * Requires that the checkpoint is where the window begins. If it is not, another session moved
   * it, and the windows in memory cannot be used any more.
   */
  private void requireStart(ClosedWindow window, JournalOffset before) {
    if (!before.equals(window.start())) {
      throw new SluiceException.Rewound(
          "the checkpoint of %s on the target is at %s, expected %s, where the next window begins: another session or a user has moved it"
              .formatted(others.lane().id(), before, window.start()));
    }
  }

  private void readSuspended(ApplySession current) throws SQLException {
    sources.read(current);
    // A table is returned once only: it stays in the set if something after it fails.
    joined.addAll(suspensions.read(current.connection()));
    if (!joined.isEmpty()) {
      // Another lane applied these tables meanwhile, so what is cached of them may be outdated.
      transactions.catalog().forget();
      current.forgetStatements();
      LOG.info("from the next window on, {} are applied with the other tables again", joined);
      joined.clear();
    }
  }
}
