package dev.sluice.target.yugabytedb.cluster;

/** Where a server of a cluster stands. Immutable. */
record Placement(String cloud, String region, String zone) {
  /** Of a server that only the url names. */
  static final Placement UNKNOWN = new Placement("", "", "");

  @Override
  public String toString() {
    return String.join(".", cloud, region, zone);
  }
}
