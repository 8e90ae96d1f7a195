package dev.sluice.target.yugabytedb.cluster;

/** The location of a server of a cluster. Immutable. */
record Placement(String cloud, String region, String zone) {
  /** The location of a server that is known only from the url. */
  static final Placement UNKNOWN = new Placement("", "", "");

  @Override
  public String toString() {
    return String.join(".", cloud, region, zone);
  }
}
