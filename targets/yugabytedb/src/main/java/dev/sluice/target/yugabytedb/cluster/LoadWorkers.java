package dev.sluice.target.yugabytedb.cluster;

import dev.sluice.config.settings.FullLoadSettings;

/*
 * What is known: half as many as the cluster has cores, and less where they are more than 60 % busy.
 * No query tells the cores of a server, and to run a program on it is not ours to do.
 */
/** How many workers load a cluster's tables if nobody says a number. Pure. */
public final class LoadWorkers {
  /** Half of eight cores. */
  private static final int OF_A_SERVER = 4;

  /** Each is a session on the source, too, which is as large as with any other target. */
  private static final int MOST = FullLoadSettings.MAX_FULL_LOAD_SUB_TASKS.defaultValue();

  /** The same for people. */
  public static final String BY_DEFAULT =
      "%d for each server of the cluster, at most %d, fewer while its servers are busy"
          .formatted(OF_A_SERVER, MOST);

  private LoadWorkers() {}

  /**
   * @param servers without those that only have copies for readers
   */
  public static int of(int servers) {
    return (int) Math.min(MOST, Math.max(1, servers) * (long) OF_A_SERVER);
  }
}
