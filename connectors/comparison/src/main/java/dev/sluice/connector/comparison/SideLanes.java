package dev.sluice.connector.comparison;

/** The sessions that read the snapshots of one view. Owned by the view's thread. */
interface SideLanes extends AutoCloseable {

  /** The one that is open from the beginning. */
  SideReads first();

  /** One more, which may find no session to open. */
  SideReads another();

  @Override
  void close();
}
