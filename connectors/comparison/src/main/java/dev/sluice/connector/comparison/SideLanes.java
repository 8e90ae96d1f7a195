package dev.sluice.connector.comparison;

/** The sessions that read the snapshots of one view. Owned by the view's thread. */
interface SideLanes extends AutoCloseable {

  /** The session that is open from the beginning. */
  SideReads first();

  /** A further one, which may be unable to open a session. */
  SideReads another();

  @Override
  void close();
}
