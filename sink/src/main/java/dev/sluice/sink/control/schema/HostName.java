package dev.sluice.sink.control.schema;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The host name of the daemon, for the {@code server_name} columns of DMS's tables. */
public final class HostName {
  private static final String TEXT = find();

  private HostName() {}

  public static String text() {
    return TEXT;
  }

  private static String find() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }
}
