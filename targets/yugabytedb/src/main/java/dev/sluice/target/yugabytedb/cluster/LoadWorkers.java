package dev.sluice.target.yugabytedb.cluster;

/*
 * What is known: half as many as the cluster has cores, and less where they are more than 60 % busy.
 * No query tells the cores of a server, and to run a program on it is not ours to do.
 */
/** How many workers load a cluster's tables if nobody says a number. Pure. */
public final class LoadWorkers {
  /** Half of eight cores. */
  private static final int OF_A_SERVER = 4;

  /** The source reads for each worker, too. */
  private static final int MOST = 24;

  private LoadWorkers() {}

  /**
   * @param servers without those that only have copies for readers
   */
  public static int of(int servers) {
    return (int) Math.min(MOST, Math.max(1, servers) * (long) OF_A_SERVER);
  }
}
