package dev.sluice.connector.generic;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.inventory.SchemaObject;
import dev.sluice.connector.api.source.SourceActivity;
import dev.sluice.connector.api.source.TableLockHolder;
import dev.sluice.connector.api.source.TableWork;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** What goes on in the source beside the task is not known. Stateless. */
final class UnknownActivity implements SourceActivity {
  @Override
  public List<TableLockHolder> lockHolders(Collection<TableId> tables) {
    return List.of();
  }

  @Override
  public List<TableWork> work(Collection<TableId> tables) {
    return List.of();
  }

  @Override
  public List<TableId> notLockable(Collection<TableId> tables) {
    return List.copyOf(tables);
  }

  @Override
  public List<String> timeoutsBelow(Duration limit) {
    return List.of();
  }

  @Override
  public Set<SchemaObject> objects(Collection<String> schemas) {
    return Set.of();
  }
}
