package dev.sluice.target.yugabytedb.cluster;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server of a cluster as sessions reach it. Immutable.
 *
 * @param address its host and its port
 */
record ClusterNode(String address, Placement placement) {
  /** An IPv6 address is in brackets. */
  private static final Pattern WITH_PORT = Pattern.compile("(.+):(\\d+)");

  static ClusterNode of(String host, int port, Placement placement) {
    return new ClusterNode((host.contains(":") ? "[" + host + "]" : host) + ":" + port, placement);
  }

  /** The host of an address, without brackets. */
  static String hostOf(String address) {
    Matcher found = WITH_PORT.matcher(address);
    String host = found.matches() ? found.group(1) : address;
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  @Override
  public String toString() {
    return address + " (" + placement + ")";
  }
}
