package dev.sluice.connector.comparison;

/**
 * Another view of a view's snapshot, with its own session, which the first view closes. Owned by
 * one thread at a time.
 */
final class LaneView extends PostgresView {

  LaneView(PostgresView first, SideReads reads) {
    super(first, reads);
  }
}
