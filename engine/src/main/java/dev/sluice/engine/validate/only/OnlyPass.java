package dev.sluice.engine.validate.only;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.retry.Retries;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.config.settings.ValidationSettings;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.engine.validate.session.ComparisonPlan;
import dev.sluice.engine.validate.session.SessionFindings;
import dev.sluice.engine.validate.session.SessionFindings.Proof;
import dev.sluice.engine.validate.session.SessionLimits;
import dev.sluice.engine.validate.session.TableFindings;
import dev.sluice.engine.validate.session.TableFindings.End;
import dev.sluice.engine.validate.verdict.KeylessTable;
import dev.sluice.sink.control.validation.RowFailure;
import dev.sluice.sink.control.validation.ValidationStore.Outcome;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads every row of tables once, in successive sessions, and looks up rows that differ a second
 * time. What is written meanwhile is not known. Used by one thread, once.
 */
public final class OnlyPass {
  private static final Logger LOG = LoggerFactory.getLogger(OnlyPass.class);

  /** The maximum number of tables in the plan of a session: more than it can read. */
  private static final int TABLES = 200;

  /** The pause after a session without a result, when somebody holds a lock or alters a table. */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** Runs a session over both sides. */
  @FunctionalInterface
  public interface Sides {
    SessionFindings compare(List<ComparisonPlan> plans) throws InterruptedException;
  }

  /** Stores a session's findings about a table. */
  @FunctionalInterface
  public interface Listing {
    /**
     * @param found rows that differ
     * @param equal keys of listed rows that do not differ any more
     */
    void store(TableId table, List<RowFailure> found, List<String> equal);
  }

  private final TableMappings mappings;
  private final TaskSettings settings;
  private final Sides sides;
  private final Listing listing;
  private final Retries retries;
  private final Clock clock;

  /**
   * @param retries for sessions that fail because a server does not answer
   */
  public OnlyPass(
      TableMappings mappings,
      TaskSettings settings,
      Sides sides,
      Listing listing,
      Retries retries,
      Clock clock) {
    this.mappings = mappings;
    this.settings = settings;
    this.sides = sides;
    this.listing = listing;
    this.retries = retries;
    this.clock = clock;
  }

  /**
   * Compares the tables.
   *
   * @param views selected views: they are not compared, so nothing is proven about them
   * @throws SluiceException if a server does not answer for longer than retries last, or what is
   *     found cannot be stored
   */
  public OnlyResult compare(Collection<CatalogTable> tables, List<TableId> views)
      throws InterruptedException {
    Instant begun = clock.instant();
    List<OnlyTable> all = tables.stream().map(this::opened).toList();
    readAll(all);
    all.forEach(OnlyTable::checkAgain);
    readAll(all);
    return OnlyResult.of(all, views, begun, clock.instant());
  }

  private OnlyTable opened(CatalogTable table) {
    return new OnlyTable(
        table.table(),
        mappings.targetOf(table.table()),
        table.columns().stream().filter(CatalogColumn::key).map(CatalogColumn::name).toList(),
        KeylessTable.exemption(table, settings));
  }

  private void readAll(List<OnlyTable> all) throws InterruptedException {
    while (true) {
      List<OnlyTable> open =
          all.stream()
              .filter(OnlyTable::isOpen)
              .sorted(Comparator.comparingInt(OnlyTable::fruitless))
              .limit(TABLES)
              .toList();
      if (open.isEmpty()) {
        return;
      }
      if (!session(open)) {
        Thread.sleep(PAUSE.toMillis());
      }
      stopAtMostFailures(all);
    }
  }

  /** Rows that are listed already are looked up again in any case. */
  private void stopAtMostFailures(List<OnlyTable> all) {
    int most = settings.get(ValidationSettings.FAILURE_MAX_COUNT);
    int failures = all.stream().mapToInt(OnlyTable::failures).sum();
    if (failures >= most) {
      all.stream()
          .filter(table -> table.isOpen() && !table.looksUp())
          .forEach(
              table ->
                  table.giveUp(
                      "%d differences in all tables: FailureMaxCount is %d"
                          .formatted(failures, most)));
    }
  }

  /** Runs a session. Returns whether it had a result. */
  private boolean session(List<OnlyTable> open) throws InterruptedException {
    List<ComparisonPlan> plans =
        open.stream().map(table -> table.plan(SessionLimits.DEFAULT.touchedKeys())).toList();
    SessionFindings found = compare(plans);
    if (found.hadNoTime()) {
      open.get(0).hadNoTime();
      return false;
    }
    if (found.obstacle().isPresent()) {
      open.forEach(table -> table.giveUp(found.obstacle().get().why()));
      return true;
    }
    boolean moved = false;
    for (int i = 0; i < found.tables().size(); i++) {
      TableFindings table = found.tables().get(i);
      boolean result = take(open.get(i), plans.get(i), table, found.proof().orElseThrow());
      open.get(i).size(table, result, i == 0);
      moved |= result;
    }
    return moved;
  }

  private SessionFindings compare(List<ComparisonPlan> plans) throws InterruptedException {
    while (true) {
      try {
        SessionFindings found = sides.compare(plans);
        retries.succeeded();
        return found;
      } catch (SluiceException.Retryable e) {
        if (retries.failed(e).isEmpty()) {
          throw e;
        }
        LOG.warn("a session failed and is tried again: {}", e.getMessage());
        retries.await();
      }
    }
  }

  private boolean take(OnlyTable table, ComparisonPlan plan, TableFindings found, Proof proof) {
    if (found.end() == End.REFUSED) {
      table.giveUp(found.why().orElse("it cannot be compared"));
      return true;
    }
    Outcome outcome = table.outcome(found, proof, clock.instant());
    listing.store(table.table(), outcome.found(), outcome.equal());
    boolean moved =
        table.take(found, outcome, plan, settings.get(ValidationSettings.TABLE_FAILURE_MAX_COUNT));
    if (!table.isOpen()) {
      LOG.info("compared {}", table.line());
    }
    return moved;
  }
}
