package dev.sluice.embedded;

import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.security.plain.PlainLoginModule;

/**
 * Defines who may connect to an embedded broker. Loopback alone is no protection, since every user
 * of the machine can connect to it. Immutable.
 *
 * @param protocol of both listeners
 * @param broker settings of the broker and its controller
 * @param client settings that its clients need beside the address
 */
public record BrokerAccess(
    SecurityProtocol protocol, Map<String, String> broker, Map<String, String> client) {
  private static final String USER = "sluice";
  private static final String MECHANISM = "PLAIN";
  private static final int SECRET_BYTES = 32;

  public BrokerAccess {
    broker = Map.copyOf(broker);
    client = Map.copyOf(client);
  }

  /** Access for every process of this machine. */
  public static BrokerAccess open() {
    return new BrokerAccess(SecurityProtocol.PLAINTEXT, Map.of(), Map.of());
  }

  /**
   * Access for this process only, with {@link EmbeddedBroker#client()}. The secret is new for each
   * call and only in memory.
   */
  public static BrokerAccess ownerOnly() {
    return withPasswords(SecurityProtocol.SASL_PLAINTEXT, Map.of(USER, secret()));
  }

  /**
   * Access for users with passwords (SASL/PLAIN). The broker itself, and {@link #client()}, are the
   * user {@code sluice}.
   *
   * @param protocol SASL_PLAINTEXT or SASL_SSL
   * @param passwords by user; {@code sluice} among them
   */
  public static BrokerAccess withPasswords(
      SecurityProtocol protocol, Map<String, String> passwords) {
    StringBuilder users = new StringBuilder();
    passwords.forEach(
        (user, password) -> users.append(" user_%s=\"%s\"".formatted(user, password)));
    String login = login(USER, passwords.get(USER));
    String server = login.substring(0, login.length() - 1) + users + ";";
    Map<String, String> broker = new HashMap<>();
    for (String listener : new String[] {"broker", "controller"}) {
      broker.put("listener.name.%s.plain.sasl.jaas.config".formatted(listener), server);
    }
    broker.put("sasl.enabled.mechanisms", MECHANISM);
    broker.put("sasl.mechanism.inter.broker.protocol", MECHANISM);
    broker.put("sasl.mechanism.controller.protocol", MECHANISM);
    return new BrokerAccess(protocol, broker, clientOf(protocol, login));
  }

  /** The same access with more broker settings, such as its certificate or an authorizer. */
  public BrokerAccess with(Map<String, String> more) {
    Map<String, String> all = new HashMap<>(broker);
    all.putAll(more);
    return new BrokerAccess(protocol, all, client);
  }

  /** The client properties, except the address, to log in as one of the users. */
  public static Map<String, String> clientOf(
      SecurityProtocol protocol, String user, String password) {
    return clientOf(protocol, login(user, password));
  }

  private static Map<String, String> clientOf(SecurityProtocol protocol, String login) {
    return Map.of(
        CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, protocol.name,
        SaslConfigs.SASL_MECHANISM, MECHANISM,
        SaslConfigs.SASL_JAAS_CONFIG, login);
  }

  private static String login(String user, String password) {
    return "%s required username=\"%s\" password=\"%s\";"
        .formatted(PlainLoginModule.class.getName(), user, password);
  }

  private static String secret() {
    byte[] random = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  /** Omits the settings, since they contain secrets. */
  @Override
  public String toString() {
    return "BrokerAccess[" + protocol + "]";
  }
}
