package dev.sluice.connector.api.source;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.inventory.SchemaObject;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * What goes on in the source beside this task, and what it has apart from rows. Every call only
 * reads catalogs, waits for no lock of a table, and is bounded in time. What this user may not see
 * is empty. Threadsafe.
 */
public interface SourceActivity {

  /**
   * Sessions and prepared transactions with a lock on one of the tables, or on a partition of one,
   * with which they can write or keep others from writing. Locks of readers do not count.
   */
  List<TableLockHolder> lockHolders(Collection<TableId> tables);

  /** Work of the server on the tables or their partitions that holds a lock for long. */
  List<TableWork> work(Collection<TableId> tables);

  /** Those of the tables that this user may not lock against writers. */
  List<TableId> notLockable(Collection<TableId> tables);

  /**
   * Settings of other roles, or of the database, that end statements or transactions which wait for
   * so long; each in words. Those that an application sets itself cannot be seen.
   */
  List<String> timeoutsBelow(Duration limit);

  /** What the schemas have apart from rows, and what belongs to the whole database. */
  Set<SchemaObject> objects(Collection<String> schemas);
}
