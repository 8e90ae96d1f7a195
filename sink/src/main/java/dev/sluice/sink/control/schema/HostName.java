package dev.sluice.sink.control.schema;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** What DMS's tables call the server: the machine that the daemon runs on. */
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
