package dev.sluice.target.yugabytedb.cluster;

import dev.sluice.config.settings.FullLoadSettings;

/*
 * yb-voyager uses half as many workers as the cluster has cores, and fewer if the cores are more
 * than 60 % busy. No query shows the cores of a server, and Sluice does not run programs on it. So
 * eight cores are assumed.
 */
/** How many workers load a cluster's tables if MaxFullLoadSubTasks is not set. Pure. */
public final class LoadWorkers {
  /** Half of eight cores. */
  private static final int OF_A_SERVER = 4;

  /** Each worker also has a session on the source, so the maximum is that of other targets. */
  private static final int MOST = FullLoadSettings.MAX_FULL_LOAD_SUB_TASKS.defaultValue();

  /** The rule as text for messages. */
  public static final String BY_DEFAULT =
      "%d for each server of the cluster, at most %d, fewer while its servers are busy"
          .formatted(OF_A_SERVER, MOST);

  private LoadWorkers() {}

  /**
   * @param servers without read replicas
   */
  public static int of(int servers) {
    return (int) Math.min(MOST, Math.max(1, servers) * (long) OF_A_SERVER);
  }
}
